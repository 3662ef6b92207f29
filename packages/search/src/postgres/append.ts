import { setImmediate as afterOthers } from 'node:timers/promises'
import { type Database, type Queries, sql, textArray, vectorArray } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import type { CopiedDocument, StreamDocument } from '../search.ts'
import { copy, type SelectDocuments } from './copy.ts'
import { leaveUnfolded } from './fold-indexes.ts'
import { type DocumentWords, keep, Vocabularies, type Vocabulary } from './vocabularies.ts'

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
  documents: readonly (StreamDocument | CopiedDocument)[],
  { vocabularies, select }: AppendParts,
): Promise<void> {
  if (documents.length === 0) return
  await database.transaction(
    async (tx) => {
      // Released after the commit is visible to all.
      const locked = tx.many(
        sql`select pg_advisory_xact_lock(hashtextextended('search.documents', 0)), ${leaveUnfolded}`,
      )
      const appended = appendInOrder(documents, {
        copied: (some) => copy(tx, some, select),
        sent: (some) => insertInParts(tx, some, vocabularies),
      })
      await Promise.all([locked, appended])
      tx.notify(CHANNEL)
    },
    { timeoutMs: APPEND_MS },
  )
}

/** Documents that are copied and others may follow each other in any way. */
async function appendInOrder(
  documents: readonly (StreamDocument | CopiedDocument)[],
  ways: {
    copied: (some: readonly CopiedDocument[]) => Promise<void>
    sent: (some: readonly StreamDocument[]) => Promise<void>
  },
): Promise<void> {
  for (let from = 0; from < documents.length; ) {
    const copied = runOf(documents, from, isCopied)
    const sent = runOf(documents, from + copied.length, isSent)
    if (copied.length > 0) await ways.copied(copied)
    if (sent.length > 0) await ways.sent(sent)
    from += copied.length + sent.length
  }
}

const isCopied = (one: StreamDocument | CopiedDocument): one is CopiedDocument => one.document === undefined
const isSent = (one: StreamDocument | CopiedDocument): one is StreamDocument => one.document !== undefined

/** Those from a place on, up to the first that is not one of them. */
function runOf<One, Some extends One>(
  all: readonly One[],
  from: number,
  is: (one: One) => one is Some,
): Some[] {
  const some: Some[] = []
  for (let index = from; index < all.length; index += 1) {
    const one = all[index]
    if (one === undefined || !is(one)) break
    some.push(one)
  }
  return some
}

async function insertInParts(
  tx: Queries,
  documents: readonly StreamDocument[],
  vocabularies: Vocabularies,
): Promise<void> {
  const named = new Map<string, Vocabulary>()
  let before: Promise<void> | undefined
  for (let from = 0; from < documents.length; ) {
    const part = partFrom(documents, vocabularies, from)
    for (const { vocabulary } of part) if (vocabulary !== undefined) named.set(vocabulary.id, vocabulary)
    const inserted = insert(tx, part)
    // It is awaited below; until then a rejection must not count as unhandled.
    inserted.catch(() => undefined)
    await Promise.all([before, afterOthers()])
    before = inserted
    from += part.length
  }
  await Promise.all([before, keep(tx, [...named.values()])])
}

/** A document as it is stored. */
interface WrittenDocument extends DocumentWords {
  readonly id: string
  readonly stream: string
  readonly text: string
}

/** The documents of one statement, written out. */
function partFrom(
  documents: readonly StreamDocument[],
  vocabularies: Vocabularies,
  from: number,
): WrittenDocument[] {
  const part: WrittenDocument[] = []
  let length = 0
  for (const one of documents.slice(from, from + AT_ONCE)) {
    const text = one.text ?? JSON.stringify(one.document)
    const { own, vocabulary } = vocabularies.wordsOf(one)
    part.push({ id: one.id, stream: one.stream, text, own, vocabulary })
    length += text.length
    if (length >= LENGTH_AT_ONCE) break
  }
  return part
}

/** Inserts what isn't there. Only documents that are never read may draw their sequences without the lock. */
async function insert(queries: Queries, documents: readonly WrittenDocument[]): Promise<void> {
  const ids = documents.map(({ id }) => id)
  const streams = documents.map(({ stream }) => stream)
  const texts = textArray(documents.map(({ text }) => text))
  const words = vectorArray(documents.map(({ own }) => own))
  const named = [...new Set(documents.flatMap(({ vocabulary }) => vocabulary?.id ?? []))]
  // Lists of SQL begin with 1; outside of one is null.
  const places = documents.map(({ vocabulary }) => named.indexOf(vocabulary?.id ?? '') + 1)
  await queries.many(sql`
    insert into search.documents (id, stream, document, words, vocabulary)
    select input.id, input.stream, input.document::jsonb, input.words, (${named}::uuid[])[input.place]
    from unnest(${ids}::uuid[], ${streams}::text[], ${texts}::text[], ${words}::tsvector[], ${places}::int[])
      as input (id, stream, document, words, place)
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
    await insert(tx, partFrom([document], new Vocabularies(), 0))
    await tx.many(sql`delete from search.documents where id = ${id}::uuid`)
  })
}
