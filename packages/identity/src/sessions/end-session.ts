import { endSession as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { type Clock, Failure } from '@platform/kernel'
import type { SessionStore } from './session-store.ts'
import { endingOf, type SignOut } from './sign-out.ts'

export const endSession = (deps: {
  records: Pick<SessionStore, 'isLiveOf'>
  signOut: SignOut
  clock: Clock
}) =>
  route(endpoint, {
    async handle({ params: { sessionId }, principal, request }) {
      const isOwn = await deps.records.isLiveOf(sessionId, principal.userId, deps.clock.now())
      if (!isOwn)
        throw new Failure(
          'ObjectNotFoundError',
          'You have no session with this id: GET /v2/user/sessions lists them.',
        )

      await deps.signOut.session(sessionId, endingOf(request))

      return { id: sessionId }
    },
  })
