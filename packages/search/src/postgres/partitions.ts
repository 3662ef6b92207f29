import { type Database, makePartitions, type Partition, partitionOf } from '@platform/database'

const AHEAD_MONTHS = 2
const documents = { table: 'search.documents', columns: 'id, sequence, stream, document, words' }

/**
 * Makes the partitions of the documents for this month and the next two, as far as they are missing. Called at every
 * opening and once a day; any number of processes may call it at once.
 */
export const ensurePartitions = (database: Database, now: Date): Promise<void> =>
  makePartitions(
    database,
    documents,
    Array.from({ length: AHEAD_MONTHS + 1 }, (_, index) => monthOf(now, index)),
  )

function monthOf(now: Date, ahead: number): Partition {
  const startOf = (months: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)
  const name = `documents_${new Date(startOf(ahead)).toISOString().slice(0, 7).replace('-', '')}`
  return partitionOf(name, startOf(ahead), startOf(ahead + 1))
}
