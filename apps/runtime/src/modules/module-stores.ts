import type { Database } from '@platform/database'
import { type Clock, MINUTE_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { masterKeyRing } from '@platform/master-keys'
import { inBatches, type Job } from '@platform/service'
import type { CompiledWorkspace } from '../automations/model.ts'
import { countRecords, forgetCollectionsOfDeleted } from './collections/collection-upkeep.ts'
import { collectionUpkeepStore } from './collections/collection-upkeep-store.ts'
import { WorkspaceRecords } from './collections/workspace-records-store.ts'
import { deleteEffects } from './effect-store.ts'
import type { ModuleStores } from './module.ts'
import type { ModuleSettings } from './modules-env.ts'
import { makeReference } from './secrets/references.ts'
import { secretStore } from './secrets/secret-store.ts'
import { deleteExpiredSecrets, forgetSecretsOfDeleted, resealRunSecrets } from './secrets/secret-upkeep.ts'

interface Needs {
  readonly database: Database
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn'>
  readonly settings: ModuleSettings
}

/** The stores of modules, and the jobs that keep them in order. */
export function openModules({ database, clock, log, settings }: Needs): {
  stores: ModuleStores
  /** References to the secrets of a workspace by their names, for what has this correlation id. */
  listSecrets: (
    workspace: Pick<CompiledWorkspace, 'id' | 'slug'>,
    correlationId: string,
  ) => Promise<Record<string, string>>
  jobs: Job[]
} {
  const { masterKeys: keys, secretsMax, overrides, keptDays } = settings
  const masterKeys = keys === undefined ? undefined : masterKeyRing(keys)
  const secrets = secretStore(database)
  const upkeep = collectionUpkeepStore(database)
  const collections = new WorkspaceRecords({ database, clock, log, ...settings.collections })
  return {
    stores: {
      secrets: { database, masterKeys, clock, overrides, max: secretsMax },
      collections,
      topics: { database, ...settings.topics },
    },
    async listSecrets(workspace, correlationId) {
      if (masterKeys === undefined) return {}
      const stored = await secrets.listNames(workspace.id)
      const names = new Set([...overrides.listSecrets(workspace, 'workspace'), ...stored])
      return Object.fromEntries(
        [...names].map((name) => {
          const place = { workspaceId: workspace.id, scope: 'workspace', owner: '', name } as const
          return [name, makeReference(masterKeys, place, correlationId, clock.now())]
        }),
      )
    },
    jobs: [
      deleteExpiredSecrets({ secrets }),
      forgetSecretsOfDeleted({ secrets, clock, keptDays }),
      ...(masterKeys === undefined ? [] : [resealRunSecrets({ database, masterKeys })]),
      countRecords({ store: upkeep }),
      forgetCollectionsOfDeleted({ store: upkeep, clock, keptDays }),
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
