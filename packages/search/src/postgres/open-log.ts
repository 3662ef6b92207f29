import {
  type Database,
  type Migrations,
  makePartitions,
  migrate,
  type Partition,
  partitionOf,
  ROWS_OF_A_PAGE,
} from '@platform/database'
import { StoreError } from '@platform/kernel'
import type { Log } from '../log.ts'
import { SearchError } from '../search.ts'
import { analyse } from './analyse.ts'
import { append, CHANNEL, probe } from './append.ts'
import type { SelectDocuments } from './copy.ts'
import { fillWords } from './fill-words.ts'
import { find } from './find.ts'
import { IndexFolding } from './fold-indexes.ts'
import { counts, endOf, groupsAfter, lastSequence, placeOf, readAfter, sequencesOf } from './read-log.ts'
import { deleteBefore, deleteStream, streams } from './retained.ts'
import { stripExecuted } from './strip-executed.ts'
import { Vocabularies } from './vocabularies.ts'

/** The log of all kept events. */
export const searchMigrations: Migrations = {
  schema: 'search',
  directory: new URL('../../migrations/', import.meta.url),
  // Long enough to make indexes over what a log already has.
  timeoutMs: 600_000,
}

/**
 * Opens the log in the schema `search` of a database, which it brings up to date. The caller closes the database.
 * `select` finds the documents that are copied from elsewhere in it.
 */
export async function openLog(database: Database, select: SelectDocuments = selectNone): Promise<Log> {
  await migrate(database, searchMigrations)
  await ensurePartitions(database, new Date())
  await fillWords(database)
  const folding = new IndexFolding(database)
  const parts = { vocabularies: new Vocabularies(), select }
  return {
    driver: 'postgres',
    append: async (documents) => {
      await asSearchErrors(() => append(database, documents, parts))
      void folding.ask()
    },
    find: (stream, query) => asSearchErrors(() => find(database, stream, query)),
    analyse: (stream, query) => asSearchErrors(() => analyse(database, stream, query)),
    probe: (signal) => asSearchErrors(() => probe(database, signal)),
    readAfter: (sequence, limit, stream) =>
      asSearchErrors(() => readAfter(database, sequence, limit, stream)),
    groupsAfter: (sequence, limit, grouping) =>
      asSearchErrors(() => groupsAfter(database, sequence, limit, grouping)),
    sequencesOf: (ids) => asSearchErrors(() => sequencesOf(database, ids)),
    placeOf: (stream, id) => asSearchErrors(() => placeOf(database, stream, id)),
    lastSequence: () => asSearchErrors(() => lastSequence(database)),
    endOf: (stream) => asSearchErrors(() => endOf(database, stream)),
    counts: (after, limit) => asSearchErrors(() => counts(database, after, limit)),
    streams: (after, limit) => asSearchErrors(() => streams(database, after, limit)),
    deleteBefore: (stream, before, limit) =>
      asSearchErrors(() => deleteBefore(database, stream, before, limit)),
    stripExecuted: (before, limit) => asSearchErrors(() => stripExecuted(database, before, limit)),
    deleteStream: (stream) => asSearchErrors(() => deleteStream(database, stream)),
    listen: (onNews, onGap) => asSearchErrors(() => database.listen(CHANNEL, onNews, onGap)),
    [Symbol.asyncDispose]: () => folding[Symbol.asyncDispose](),
  }
}

const selectNone: SelectDocuments = () => {
  throw new Error('This log was opened without a place that documents are copied from.')
}

const AHEAD_MONTHS = 2
const documents = {
  table: 'search.documents',
  columns: 'id, sequence, stream, document, words, vocabulary',
  storage: ROWS_OF_A_PAGE,
}

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

/** Runs a call of the log; what the database throws becomes a SearchError. */
async function asSearchErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StoreError) || error instanceof SearchError) throw error
    const { message, unavailable, code } = error
    throw new SearchError(message, { cause: error, unavailable, code })
  }
}
