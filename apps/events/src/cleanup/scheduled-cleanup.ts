import { type Clock, Failure, HOUR_MS, MINUTE_MS } from '@platform/kernel'
import type { SearchIndex } from '@platform/search'
import type { Job } from '@platform/service'
import type { Cleanup } from './cleanup.ts'
import type { CleanupRecord, CleanupStore } from './cleanup-store.ts'
import { deleteDue, dropDeletedFromIndex, followTrash } from './deleted-workspaces.ts'
import { runWantedCleanup } from './run-cleanup.ts'
import { isDue, type Schedule } from './schedule.ts'
import type { StoredStreams } from './stored-streams.ts'

/** A primary shard of this size is rolled over: the store can still move it. */
const ROLLOVER_BYTES = 40 * 1024 ** 3

/**
 * Runs a cleanup when its time has come, and ends a run that was begun and left. One process of the cluster does it,
 * the others look on.
 */
export const scheduledCleanup = <Report>(
  cleanup: Cleanup<Report>,
  deps: { store: CleanupStore; clock: Clock },
  schedule: Schedule,
): Job => ({
  name: `clean-${cleanup.name}`,
  everyMs: MINUTE_MS,
  async run(signal) {
    const { store, clock } = deps
    const isWanted = ({ startedAt, followedAt }: CleanupRecord) =>
      startedAt !== null || isDue(schedule, followedAt, clock.now())
    if (!isWanted(await store.find(cleanup.name, clock.now()))) return
    for (let done = false; !done && !signal.aborted; ) {
      const outcome = await unlessTaken(() => runWantedCleanup(cleanup, deps, isWanted))
      done = outcome?.done ?? true
    }
  },
})

/** Deletes the events of workspaces that were deleted long enough ago, and finds those whose event was missed. */
export const deletionOfEvents = (deps: StoredStreams, store: CleanupStore): Job => ({
  name: 'delete-events-of-workspaces',
  everyMs: HOUR_MS,
  async run(signal) {
    await unlessTaken(() =>
      store.alone(async (stillAlone) => {
        await followTrash(deps)
        await deleteDue(deps, signal, stillAlone)
        await dropDeletedFromIndex(deps, signal)
      }),
    )
  },
})

/** Keeps the shards of the index at a size the store can move. */
export const rollOver = (index: SearchIndex): Job => ({
  name: 'roll-over-indices',
  everyMs: HOUR_MS,
  async run() {
    await index.rollOver(ROLLOVER_BYTES)
  },
})

/** Where another process is at it, there is nothing to do here. */
async function unlessTaken<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Failure && error.name === 'ResourceLocked') return undefined
    throw error
  }
}
