import { confirmWebSessionTicket as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { isSameOrigin } from '../../pages/same-origin.ts'
import { type RedemptionNeeds, redeem, refused } from './redemption.ts'

/**
 * POST /signin/tickets/:ticket — the answer to the question whether another account may take the place of the one
 * that is signed in.
 */
export const confirmWebSessionTicket = (deps: RedemptionNeeds) =>
  route(endpoint, {
    async handle({ params, request }) {
      // Of another site it would be an answer nobody has given.
      if (!isSameOrigin(request.headers, [deps.origin])) return refused(deps, request)
      return redeem(deps, params.ticket, request)
    },
  })
