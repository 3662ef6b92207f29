import type { Database } from '@platform/database'
import { type Clock, MINUTE_MS } from '@platform/kernel'
import { masterKeyRing } from '@platform/master-keys'
import { inBatches, type Job } from '@platform/service'
import { deleteEffects } from './effect-store.ts'
import type { ModuleSettings } from './modules-env.ts'
import { secretStore } from './secrets/secret-store.ts'
import { deleteExpiredSecrets, forgetSecretsOfDeleted, resealRunSecrets } from './secrets/secret-upkeep.ts'
import type { SecretParts } from './secrets/secrets.ts'

/** What functions of modules keep things in. */
export interface ModuleStores {
  readonly secrets: SecretParts
}

interface Needs {
  readonly database: Database
  readonly clock: Clock
  readonly settings: ModuleSettings
}

/** The stores of modules, and the jobs that keep them in order. */
export function openModules({ database, clock, settings }: Needs): { stores: ModuleStores; jobs: Job[] } {
  const { masterKeys: keys, secretsMax, keptDays } = settings
  const masterKeys = keys === undefined ? undefined : masterKeyRing(keys)
  const secrets = secretStore(database)
  return {
    stores: { secrets: { database, masterKeys, clock, max: secretsMax } },
    jobs: [
      deleteExpiredSecrets({ secrets }),
      forgetSecretsOfDeleted({ secrets, clock, keptDays }),
      ...(masterKeys === undefined ? [] : [resealRunSecrets({ database, masterKeys })]),
      forgetEffects(database),
    ],
  }
}

const BATCH = 1000

/** Deletes what was kept of writes of runs that have ended. Any instance may run it. */
const forgetEffects = (database: Database): Job => ({
  name: 'forget-module-effects',
  everyMs: 10 * MINUTE_MS,
  run: (signal) => inBatches(BATCH, signal, (limit) => deleteEffects(database, limit)),
})
