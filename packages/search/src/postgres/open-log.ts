import { type Database, migrate } from '@platform/database'
import type { Log } from '../log.ts'
import { analyse } from './analyse.ts'
import { append, CHANNEL } from './append.ts'
import { fillWords } from './fill-words.ts'
import { find } from './find.ts'
import { IndexFolding } from './fold-indexes.ts'
import { ensurePartitions } from './partitions.ts'
import { probe } from './probe.ts'
import { counts, endOf, lastSequence, placeOf, readAfter, sequencesOf } from './read-log.ts'
import { deleteBefore, deleteStream, streams } from './retained.ts'
import { asSearchErrors } from './store-errors.ts'
import { stripExecuted } from './strip-executed.ts'

/** Indexes over what a log already holds. */
const MIGRATION_MS = 600_000

/**
 * Opens the log in the schema `search` of a database, which it brings up to date. The database belongs to whoever
 * opened it.
 */
export async function openLog(database: Database): Promise<Log> {
  await migrate(database, 'search', new URL('../../migrations/', import.meta.url), {
    timeoutMs: MIGRATION_MS,
  })
  await ensurePartitions(database, new Date())
  await fillWords(database)
  const folding = new IndexFolding(database)
  return {
    driver: 'postgres',
    append: async (documents) => {
      await asSearchErrors(() => append(database, documents))
      void folding.ask()
    },
    find: (stream, query) => asSearchErrors(() => find(database, stream, query)),
    analyse: (stream, query) => asSearchErrors(() => analyse(database, stream, query)),
    probe: (signal) => asSearchErrors(() => probe(database, signal)),
    ...reading(database),
    ...retaining(database),
    listen: (onNews, onGap) => asSearchErrors(() => database.listen(CHANNEL, onNews, onGap)),
    [Symbol.asyncDispose]: () => folding[Symbol.asyncDispose](),
  }
}

const reading = (
  database: Database,
): Pick<Log, 'readAfter' | 'sequencesOf' | 'placeOf' | 'lastSequence' | 'endOf' | 'counts'> => ({
  readAfter: (sequence, limit, stream) => asSearchErrors(() => readAfter(database, sequence, limit, stream)),
  sequencesOf: (ids) => asSearchErrors(() => sequencesOf(database, ids)),
  placeOf: (stream, id) => asSearchErrors(() => placeOf(database, stream, id)),
  lastSequence: () => asSearchErrors(() => lastSequence(database)),
  endOf: (stream) => asSearchErrors(() => endOf(database, stream)),
  counts: (after, limit) => asSearchErrors(() => counts(database, after, limit)),
})

const retaining = (
  database: Database,
): Pick<Log, 'streams' | 'deleteBefore' | 'stripExecuted' | 'deleteStream'> => ({
  streams: (after, limit) => asSearchErrors(() => streams(database, after, limit)),
  deleteBefore: (stream, before, limit) =>
    asSearchErrors(() => deleteBefore(database, stream, before, limit)),
  stripExecuted: (before, limit) => asSearchErrors(() => stripExecuted(database, before, limit)),
  deleteStream: (stream) => asSearchErrors(() => deleteStream(database, stream)),
})
