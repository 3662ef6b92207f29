import type { Audit } from '@platform/audit'
import type { Database, Queries } from '@platform/database'
import { MINUTE_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { MasterKeyRing } from '@platform/master-keys'
import type { Job } from '@platform/service'
import { lockResealing, type SealedColumnStore, type SealedValue } from './sealed-column-store.ts'

const BATCH = 500
/** Of one transaction: its rows are locked until it ends. */
const MOST_OF_A_ROUND = 5000
const ROUND_TIMEOUT_MS = 30_000

interface Needs {
  database: Database
  masterKeys: MasterKeyRing
  audit: Audit
  log: Logger
  columns: readonly SealedColumnStore[]
}

/** Seals again, with the first master key, what another one has sealed. Any instance may run it: one at a time does. */
export const resealSecrets = (deps: Needs): Job => ({
  name: 'reseal-secrets',
  everyMs: 10 * MINUTE_MS,
  async run(signal) {
    for (let isMore = true; isMore && !signal.aborted; ) isMore = await resealRound(deps)
  },
})

/** One transaction: values, and a row of the audit trail with their counts. Answers whether there may be more. */
export function resealRound(deps: Needs): Promise<boolean> {
  return deps.database.transaction(
    async (tx) => {
      await lockResealing(tx)
      const counts: Record<string, number> = {}
      let left = MOST_OF_A_ROUND
      for (const column of deps.columns) {
        const resealed = await resealColumn(deps, tx, column, left)
        if (resealed > 0) counts[column.name] = resealed
        left -= resealed
      }
      if (left < MOST_OF_A_ROUND) {
        await deps.audit.record(tx, {
          action: 'masterKey.resealed',
          actor: 'platform',
          subject: `masterKey:${deps.masterKeys.currentId}`,
          details: { values: counts },
        })
      }
      return left <= 0
    },
    { timeoutMs: ROUND_TIMEOUT_MS },
  )
}

/** At most `limit` values of one column. One that can't be opened is left as it is, and told. */
async function resealColumn(
  deps: Needs,
  tx: Queries,
  column: SealedColumnStore,
  limit: number,
): Promise<number> {
  let resealed = 0
  for (let after = ''; resealed < limit; ) {
    const values = await column.list(tx, deps.masterKeys.currentId, after, Math.min(BATCH, limit - resealed))
    const [last] = values.slice(-1)
    if (last === undefined) break
    after = last.id
    resealed += await column.replace(
      tx,
      values.flatMap((value) => resealValue(deps, value)),
    )
  }
  return resealed
}

function resealValue({ masterKeys, log }: Needs, value: SealedValue): (SealedValue & { resealed: string })[] {
  try {
    return [{ ...value, resealed: masterKeys.seal(masterKeys.open(value.sealed, value.place), value.place) }]
  } catch (error) {
    log.error({ err: error, place: value.place }, 'a sealed value can not be opened, it stays as it is')
    return []
  }
}
