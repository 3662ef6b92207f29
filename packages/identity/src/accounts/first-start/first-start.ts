import type { Database } from '@platform/database'
import type { Job } from '@platform/service'
import type { Passwords } from '../../credentials/passwords/passwords.ts'
import type { UserStore } from '../../users/user-store.ts'
import {
  type AdministratorSettings,
  ensureAdministrator,
  type FirstAdministrator,
} from './ensure-administrator.ts'
import { firstStartStore } from './first-start-store.ts'
import { makeSampleWorkspace } from './make-sample-workspace.ts'

interface Needs {
  database: Database
  users: UserStore
  passwords: Passwords
  settings: AdministratorSettings
  /** Asks the workspaces service for the sample workspace of this owner; rejects when it can't be made now. */
  requestSample: (ownerId: string) => Promise<void>
}

/** What the first start of a platform makes. */
export interface FirstStart {
  /** Run once the service listens; what it answers is to be printed. */
  ensureAdministrator(): Promise<FirstAdministrator | undefined>
  job: Job
}

/** How long a first start waits for its sample workspace. */
const SAMPLE_WAIT_MS = 3000

/** The first administrator, and a sample workspace of theirs. */
export function firstStart({ database, users, passwords, settings, requestSample }: Needs): FirstStart {
  const sample = makeSampleWorkspace({ firstStart: firstStartStore(database), requestSample })
  return {
    async ensureAdministrator() {
      const first = await ensureAdministrator({ users, passwords, settings })
      // Best there when the first start says that it is ready; where workspaces does not answer yet, the job tries
      // again.
      if (first !== undefined) await sample.run(AbortSignal.timeout(SAMPLE_WAIT_MS)).catch(() => undefined)
      return first
    },
    job: sample,
  }
}
