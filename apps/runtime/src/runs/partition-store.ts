import {
  type Database,
  dropPartition,
  listPartitions,
  makePartitions,
  type Partition,
  raw,
} from '@platform/database'

export type PartitionStore = ReturnType<typeof partitionStore>

const runs = { table: 'runtime.runs' }

/** The partitions of the table of runs. Their names and bounds come from numbers, never from anybody's text. */
export const partitionStore = (database: Database) => ({
  list: (): Promise<string[]> => listPartitions(database, runs.table),

  /** Makes those that are missing; another instance may be first. */
  create: (...partitions: Partition[]): Promise<void> => makePartitions(database, runs, partitions),

  /** Keeps a partition in which something is still to be done. Answers whether it was dropped. */
  dropUnlessBusy: ({ name }: Pick<Partition, 'name'>): Promise<boolean> =>
    dropPartition(database, runs, name, async (tx) => {
      const [busy] = await tx.many(
        raw(`select 1 from runtime.${name} where status in ('queued', 'running', 'waiting') limit 1`),
      )
      return busy !== undefined
    }),
})
