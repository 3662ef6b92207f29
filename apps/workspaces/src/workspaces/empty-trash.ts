import { type Clock, DAY_MS, HOUR_MS } from '@platform/kernel'
import { inBatches, type Job } from '@platform/service'
import type { ChangeStore } from '../changes/change-store.ts'

/** Workspaces removed in one transaction, so that none holds its locks for long. */
const BATCH = 50

/**
 * Removes workspaces for good when their days in the trash are over. Any instance may run it: rows taken by another
 * are skipped.
 */
export const emptyTrash = (deps: { changes: ChangeStore; clock: Clock; trashDays: number }): Job => ({
  name: 'empty-trash',
  everyMs: HOUR_MS,
  async run(signal) {
    const before = new Date(deps.clock.now().getTime() - deps.trashDays * DAY_MS)
    await inBatches(BATCH, signal, (limit) =>
      deps.changes.commit(async ({ workspaces, permissions }) => {
        const ids = await workspaces.removeTrash(before, limit)
        if (ids.length > 0) await permissions.removeWorkspaces(ids)
        return ids.length
      }),
    )
  },
})
