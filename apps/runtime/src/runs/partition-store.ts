import {
  type Database,
  dropPartition,
  listPartitions,
  makePartitions,
  type Partition,
  sql,
} from '@platform/database'

export type PartitionStore = ReturnType<typeof partitionStore>

/** Tables of which each week is a partition, by the ids of runs. */
export type WeeklyTable = 'runs' | 'journal'

/** The partitions of a table. Their names and bounds come from numbers, never from anybody's text. */
export const partitionStore = (database: Database, name: WeeklyTable = 'runs') => {
  const partitioned = { table: `runtime.${name}`, key: name === 'runs' ? 'id' : 'run_id' }
  return {
    list: (): Promise<string[]> => listPartitions(database, partitioned.table),

    /** Makes those that are missing; another instance may be first. */
    create: (...partitions: Partition[]): Promise<void> => makePartitions(database, partitioned, partitions),

    /** Keeps a partition of runs of which one is still to be done. Answers whether it was dropped. */
    dropUnlessBusy: (partition: Partition): Promise<boolean> =>
      dropPartition(database, partitioned, partition.name, async (tx) => {
        const [busy] = await tx.many(sql`
          select 1 from runtime.runs where id >= ${partition.from}::uuid and id < ${partition.to}::uuid
            and status in ('queued', 'running', 'waiting') limit 1`)
        return busy !== undefined
      }),
  }
}
