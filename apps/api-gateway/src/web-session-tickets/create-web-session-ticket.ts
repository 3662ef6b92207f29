import { sessionHolder, type UserPrincipal } from '@platform/auth'
import { createWebSessionTicket as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { type Clock, Failure, SECOND_MS } from '@platform/kernel'
import { mintTicket, requireRedirect, TICKET_SECONDS } from './web-session-ticket.ts'
import type { WebSessionTicketStore } from './web-session-ticket-store.ts'

interface Needs {
  tickets: WebSessionTicketStore
  /** Origin browsers reach the gateway at. */
  origin: string
  allowedOrigins: readonly string[]
  clock: Clock
}

export const createWebSessionTicket = (deps: Needs) =>
  route(endpoint, {
    access: (principal) => person(sessionHolder(principal)),
    async handle({ body, principal }) {
      const redirect = requireRedirect(body.redirect, deps.allowedOrigins)

      const { ticket, ticketHash } = mintTicket()
      const expiresAt = new Date(deps.clock.now().getTime() + TICKET_SECONDS * SECOND_MS)
      const { sessionId, scopes } = principal
      await deps.tickets.insert({ ticketHash, sessionId, scopes, redirect }, expiresAt)

      return { url: `${deps.origin}/signin/tickets/${ticket}` }
    },
  })

/** A program that got its token by client credentials has no browser. */
function person(principal: UserPrincipal): UserPrincipal {
  if (principal.userId !== principal.clientId) return principal
  throw new Failure('ForbiddenError', 'The token belongs to a client, which can’t sign a browser in.')
}
