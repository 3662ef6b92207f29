import type { Database } from '@platform/database'
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS } from '@platform/kernel'
import type { MasterKeyRing } from '@platform/master-keys'
import { inBatches, type Job } from '@platform/service'
import { sealContextOf } from './secret-parts.ts'
import { type SecretStore, secretStore } from './secret-store.ts'

const BATCH = 200

/** Seals again, with the first master key, what another one has sealed, so that the other one may go. */
export const resealRunSecrets = (deps: { database: Database; masterKeys: MasterKeyRing }): Job => ({
  name: 'reseal-run-secrets',
  everyMs: 10 * MINUTE_MS,
  run: (signal) =>
    inBatches(BATCH, signal, (limit) =>
      deps.database.transaction(async (tx) => {
        const store = secretStore(tx)
        const found = await store.listSealedByOthers(deps.masterKeys.currentId, limit)
        for (const secret of found) {
          const context = sealContextOf(secret)
          const sealed = deps.masterKeys.seal(deps.masterKeys.open(secret.sealed, context), context)
          await store.reseal({ ...secret, sealed })
        }
        return found.length
      }),
    ),
})

/** Deletes what was kept for a time that is over. Any instance may run it. */
export const deleteExpiredSecrets = ({ secrets }: { secrets: Pick<SecretStore, 'deleteExpired'> }): Job => ({
  name: 'delete-expired-secrets',
  everyMs: MINUTE_MS,
  run: (signal) => inBatches(BATCH, signal, secrets.deleteExpired),
})

/** Days a workspace may be restored after it was deleted: its secrets are there until then, like its events. */
export const forgetSecretsOfDeleted = (deps: {
  secrets: Pick<SecretStore, 'deleteOfDeleted'>
  clock: Clock
  keptDays: number
}): Job => ({
  name: 'forget-secrets',
  everyMs: HOUR_MS,
  run: () => deps.secrets.deleteOfDeleted(new Date(deps.clock.now().getTime() - deps.keptDays * DAY_MS)),
})
