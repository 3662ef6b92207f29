import { setImmediate as afterOthers } from 'node:timers/promises'
import { type Database, type Queries, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import type { AppendedDocument } from '../search.ts'
import {
  type DocumentsInOrder,
  insertAndCopy,
  type SelectDocuments,
  selectWritten,
  type WrittenDocument,
} from './copy.ts'
import { leaveUnfolded } from './fold-indexes.ts'
import { keep, Vocabularies, type Vocabulary } from './vocabularies.ts'

/** The channel that is notified by every commit that appended something. */
export const CHANNEL = 'documents'
/** Long enough for a queue of writers before this one. */
const APPEND_MS = 10_000
/**
 * Documents of a statement, and characters, or one document: while the database works at some, the words of the next
 * are gathered, and others have their turn.
 */
const AT_ONCE = 64
const LENGTH_AT_ONCE = 100_000

/** What appending needs to know of documents. */
export interface AppendParts {
  readonly vocabularies: Vocabularies
  /** Where documents are that are to be copied. */
  readonly select: SelectDocuments
}

/** Appends in one transaction that no other overlaps: sequences become visible in the order in which they are drawn. */
export async function append(
  database: Database,
  documents: readonly AppendedDocument[],
  parts: AppendParts,
): Promise<void> {
  if (documents.length === 0) return
  await database.transaction(
    async (tx) => {
      // Released after the commit is visible to all.
      const locked = tx.many(
        sql`select pg_advisory_xact_lock(hashtextextended('search.documents', 0)), ${leaveUnfolded}`,
      )
      await Promise.all([locked, insertInParts(tx, documents, parts)])
      tx.notify(CHANNEL)
    },
    { timeoutMs: APPEND_MS },
  )
}

async function insertInParts(
  tx: Queries,
  documents: readonly AppendedDocument[],
  { vocabularies, select }: AppendParts,
): Promise<void> {
  const named = new Map<string, Vocabulary>()
  let before: Promise<void> | undefined
  for (let from = 0; from < documents.length; ) {
    const part = partFrom(documents, vocabularies, from)
    for (const { vocabulary } of part.written)
      if (vocabulary !== undefined) named.set(vocabulary.id, vocabulary)
    const inserted = part.copied.length === 0 ? insert(tx, part.written) : insertAndCopy(tx, part, select)
    // It is awaited below; until then a rejection must not count as unhandled.
    inserted.catch(() => undefined)
    await Promise.all([before, afterOthers()])
    before = inserted
    from += part.written.length + part.copied.length
  }
  await Promise.all([before, keep(tx, [...named.values()])])
}

/** The documents of one statement, those that are sent written out. */
function partFrom(
  documents: readonly AppendedDocument[],
  vocabularies: Vocabularies,
  from: number,
): DocumentsInOrder {
  const part: DocumentsInOrder = { written: [], copied: [] }
  let length = 0
  for (const [place, one] of documents.slice(from, from + AT_ONCE).entries()) {
    if (one.document === undefined) {
      part.copied.push({ place, id: one.id, stream: one.stream })
      continue
    }
    const text = one.text ?? JSON.stringify(one.document)
    const { own, vocabulary } = vocabularies.wordsOf(one)
    part.written.push({ place, id: one.id, stream: one.stream, text, own, vocabulary })
    length += text.length
    if (length >= LENGTH_AT_ONCE) break
  }
  return part
}

/** Inserts what isn't there. Only documents that are never read may draw their sequences without the lock. */
async function insert(queries: Queries, documents: readonly WrittenDocument[]): Promise<void> {
  await queries.many(sql`
    insert into search.documents (id, stream, document, words, vocabulary)
    select id, stream, document, words, vocabulary from (${selectWritten(documents)}) as input
    on conflict do nothing`)
}

/**
 * Written and deleted in one transaction, in a stream no workspace can have: a check that dies between leaves nothing
 * behind, and a sequence that never becomes visible needs no lock.
 */
export async function probe(database: Database, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const id = uuidv7()
  await database.transaction(async (tx) => {
    const document = { stream: `readiness-probe-${id}`, id, document: { type: 'probe' } }
    await insert(tx, partFrom([document], new Vocabularies(), 0).written)
    await tx.many(sql`delete from search.documents where id = ${id}::uuid`)
  })
}
