import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS } from '@platform/kernel'
import { inBatches, type Job } from '@platform/service'
import type { CollectionUpkeepStore } from './collection-upkeep-store.ts'

const BATCH = 1000

interface Needs {
  readonly store: CollectionUpkeepStore
}

/** Counts the records of each collection, so that an insert need not. Any instance may run it. */
export const countRecords = ({ store }: Needs): Job => ({
  name: 'count-collection-records',
  everyMs: 10 * MINUTE_MS,
  run: () => store.countRecords(),
})

/** Deletes what workspaces had that can't be restored any more. */
export const forgetCollectionsOfDeleted = (
  deps: Needs & { readonly clock: Clock; readonly keptDays: number },
): Job => ({
  name: 'forget-collections',
  everyMs: HOUR_MS,
  async run(signal) {
    const before = new Date(deps.clock.now().getTime() - deps.keptDays * DAY_MS)
    await inBatches(BATCH, signal, (limit) => deps.store.deleteRecordsOfDeleted(before, limit))
    await deps.store.deleteCollectionsOfDeleted(before)
  },
})
