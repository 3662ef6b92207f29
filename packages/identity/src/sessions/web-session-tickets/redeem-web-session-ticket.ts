import {
  confirmWebSessionTicket as confirmWebSessionTicketContract,
  redeemWebSessionTicket as redeemWebSessionTicketContract,
} from '@platform/contracts'
import { type RequestInfo, respond, route } from '@platform/http'
import { languageOf } from '../../pages/language.ts'
import { isSameOrigin } from '../../pages/read-form.ts'
import { switchAccountPage } from '../../pages/switch-account-page.ts'
import { displayName, type UserRecord } from '../../users/user.ts'
import { openedOf, type RedemptionNeeds, redeem, refused } from './redemption.ts'
import { hashOfTicket } from './web-session-ticket.ts'

/** GET /signin/tickets/:ticket — whoever opens it is a browser, so a ticket that is no good is told on a page. */
export const redeemWebSessionTicket = (deps: RedemptionNeeds) =>
  route(redeemWebSessionTicketContract, {
    async handle({ params, request }) {
      // Whatever looks ahead at an address must not burn it.
      if (request.method === 'HEAD') return refused(deps, request)
      return (await question(deps, params.ticket, request)) ?? redeem(deps, params.ticket, request)
    },
  })

/**
 * Any page can make a browser open the ticket of whoever wrote the page. So where somebody else is signed in it asks
 * them first; the ticket is burnt by the answer.
 */
async function question(deps: RedemptionNeeds, text: string, request: RequestInfo) {
  const present = await deps.browserSession(request.headers.cookie)
  if (present === undefined || present.anonymous) return undefined
  const hash = hashOfTicket(text)
  const opened = await openedOf(
    deps,
    hash === undefined ? undefined : await deps.tickets.find(hash, deps.clock.now()),
  )
  if (opened === undefined || opened.parent.userId === present.userId) return undefined
  const user = await deps.findUser(present.userId)
  if (user === undefined) return undefined
  const { html, headers } = switchAccountPage({
    language: languageOf(undefined, request.headers['accept-language']),
    action: `${deps.origin}/signin/tickets/${text}`,
    now: nameOf(user),
    next: nameOf(opened.user),
    redirect: opened.redirect,
    stayUrl: `${deps.origin}/signin`,
  })
  const { 'content-type': contentType = 'text/html', ...rest } = headers
  return respond(html, { status: 200, contentType, headers: rest })
}

/** Two accounts may have one name. */
const nameOf = (user: UserRecord): string => user.email ?? displayName(user)

/**
 * POST /signin/tickets/:ticket — the answer to the question whether another account may take the place of the one
 * that is signed in.
 */
export const confirmWebSessionTicket = (deps: RedemptionNeeds) =>
  route(confirmWebSessionTicketContract, {
    async handle({ params, request }) {
      // Of another site it would be an answer nobody has given.
      if (!isSameOrigin(request.headers, [deps.origin])) return refused(deps, request)
      return redeem(deps, params.ticket, request)
    },
  })
