import { finishLogin as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import type { CompleteSignIn } from './complete-sign-in.ts'

/** GET /v2/login/callback — where a provider sends people back to. */
export const finishLogin = ({ completeSignIn }: { completeSignIn: CompleteSignIn }) =>
  route(endpoint, {
    handle: ({ request }) => completeSignIn(queryOf(request.url), request),
  })

/** As it came: a parameter that stands twice must be seen twice. */
const queryOf = (url: string): URLSearchParams => new URL(url, 'http://callback').searchParams
