import { type Clock, HOUR_MS } from '@platform/kernel'
import type { Job } from '@platform/service'
import type { DeliveryPartitionStore } from './delivery-partition-store.ts'

/** Makes the weeks to come ahead of time and drops what is older than 30 days. Any instance may run it. */
export const keepDeliveryPartitions = (deps: { partitions: DeliveryPartitionStore; clock: Clock }): Job => ({
  name: 'keep-delivery-partitions',
  everyMs: HOUR_MS,
  async run() {
    const now = deps.clock.now()
    await deps.partitions.make(now)
    await deps.partitions.drop(now)
    await deps.partitions.dropStrays(now)
  },
})
