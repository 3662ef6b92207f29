import { type Clock, HOUR_MS } from '@platform/kernel'
import type { Job } from '@platform/service'
import { expiredPartitions, neededPartitions } from './partition.ts'
import type { PartitionStore } from './partition-store.ts'

/** Makes the weeks to come ahead of time and drops those nobody may read any more. Any instance may run it. */
export const keepPartitions = (deps: {
  partitions: PartitionStore
  clock: Clock
  retentionDays: number
}): Job => ({
  name: 'keep-run-partitions',
  everyMs: HOUR_MS,
  requiredAtStart: true,
  async run() {
    const now = deps.clock.now()
    await deps.partitions.create(...neededPartitions(now))
    for (const name of expiredPartitions(await deps.partitions.list(), now, deps.retentionDays)) {
      await deps.partitions.dropUnlessBusy({ name })
    }
  },
})
