import type { Database } from '@platform/database'
import type { Route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Job } from '@platform/service'
import { type Passwords, passwords } from '../../credentials/passwords/passwords.ts'
import { purgeAnonymousUsers } from '../../users/purge-anonymous-users.ts'
import { type UserStore, userStore } from '../../users/user-store.ts'
import {
  type AdministratorSettings,
  ensureAdministrator,
  type FirstAdministrator,
} from './ensure-administrator.ts'
import { firstStartStore } from './first-start-store.ts'
import { makeSampleWorkspace } from './make-sample-workspace.ts'

interface Needs {
  database: Database
  clock: Clock
  settings: AdministratorSettings
  /** Asks the workspaces service for the sample workspace of this owner; rejects when it can't be made now. */
  requestSample: (ownerId: string) => Promise<void>
}

/** The accounts of the platform, for the composition root. */
export interface WiredUsers {
  users: UserStore
  passwords: Passwords
  /** Run once the service listens; what it answers is to be printed. */
  ensureAdministrator: () => Promise<FirstAdministrator | undefined>
  routes: Route[]
  jobs: Job[]
}

/** How long a first start waits for its sample workspace. */
const SAMPLE_WAIT_MS = 3000

export function wireUsers({ database, clock, settings, requestSample }: Needs): WiredUsers {
  const users = userStore(database, settings.superAdminEmails)
  const hasher = passwords(users)
  const sample = makeSampleWorkspace({ firstStart: firstStartStore(database), requestSample })
  return {
    users,
    passwords: hasher,
    async ensureAdministrator() {
      const first = await ensureAdministrator({ users, passwords: hasher, settings })
      // Best there when the first start says that it is ready; where workspaces does not answer yet, the job tries
      // again.
      if (first !== undefined) await sample.run(AbortSignal.timeout(SAMPLE_WAIT_MS)).catch(() => undefined)
      return first
    },
    routes: [],
    jobs: [purgeAnonymousUsers({ users, clock }), sample],
  }
}
