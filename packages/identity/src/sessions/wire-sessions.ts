import type { Clock } from '@platform/kernel'
import type { Job } from '@platform/service'
import type { CookiePolicy } from './access-token-cookie.ts'
import { endAllSessions } from './end-all-sessions.ts'
import { endCurrentSession } from './end-current-session.ts'
import { endSession } from './end-session.ts'
import { listSessions } from './list-sessions.ts'
import type { SessionStore } from './session-store.ts'
import type { SignOut } from './sign-out.ts'

interface Needs {
  records: SessionStore
  signOut: SignOut
  cookies: CookiePolicy
  clock: Clock
}

/** What people do with their own sessions, for the composition root. `current` goes before the ids. */
export const wireSessions = ({ records, signOut, cookies, clock }: Needs) => ({
  routes: [
    listSessions({ records, clock }),
    endCurrentSession({ signOut, cookies }),
    endAllSessions({ signOut, cookies }),
    endSession({ records, signOut, clock }),
  ],
  jobs: [] as Job[],
})
