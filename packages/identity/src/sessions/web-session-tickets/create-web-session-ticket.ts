import { createWebSessionTicket as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { type Clock, SECOND_MS } from '@platform/kernel'
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
    async handle({ body, principal }) {
      const redirect = requireRedirect(body.redirect, deps.allowedOrigins)

      const { ticket, ticketHash } = mintTicket()
      const expiresAt = new Date(deps.clock.now().getTime() + TICKET_SECONDS * SECOND_MS)
      const { sessionId, scopes } = principal
      await deps.tickets.insert({ ticketHash, sessionId, scopes, redirect }, expiresAt)

      return { url: `${deps.origin}/signin/tickets/${ticket}` }
    },
  })
