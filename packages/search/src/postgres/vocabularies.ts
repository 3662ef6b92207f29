import { createHash } from 'node:crypto'
import { type Queries, sql, vectorArray } from '@platform/database'
import { atMost } from '@platform/kernel'
import { LRUCache } from 'lru-cache'
import type { StreamDocument } from '../search.ts'
import { wordsOf } from '../words.ts'
import type { KnownField } from './known-texts.ts'
import { asLexeme, isAscii, type Lexeme, LexemeSet, type Lexemes, vectorOfLexemes } from './lexemes.ts'
import { knownIn, lexemesOf, MARKS, vectorOf } from './search-vector.ts'

/** A vocabulary is what so many documents of a kind, one after the other, have in common. */
const LEARNED_FROM = 32
/** With fewer lexemes it would save too little, with more it would take too long to compare. */
const LEXEMES_MIN = 12
const LEXEMES_MAX = 400
/** Of so many documents so many may be without it; else it is learned anew. */
const WINDOW = 256
const MISSES_MAX = 64
/** Kinds that are known at a time; the one that was seen least recently is forgotten. */
const KINDS_MAX = 500

/** Lexemes that documents of a kind share. */
export interface Vocabulary {
  readonly id: string
  readonly stream: string
  readonly lexemes: LexemeSet
  readonly vector: Buffer
  readonly known: KnownField
}

/** What a document is found by: all lexemes of its vocabulary, and its own. */
export interface DocumentWords {
  readonly own: Buffer
  readonly vocabulary: Vocabulary | undefined
}

/**
 * What documents of a kind have in common: those of one type, of one automation, in one stream. Most words of an event
 * are in each event of its kind, and need neither be stored nor indexed again with each (ADR 0094). What is learned
 * here and written by another process is the same: its id is made from what it says.
 */
export class Vocabularies {
  readonly #kinds = new LRUCache<string, Kind>(atMost(KINDS_MAX))

  wordsOf({ stream, document }: StreamDocument): DocumentWords {
    return this.#kindOf(stream, document).wordsOf(document)
  }

  #kindOf(stream: string, document: Readonly<Record<string, unknown>>): Kind {
    const { automationSlug } = (document.source ?? {}) as { automationSlug?: unknown }
    const name = `${stream}\n${String(document.type)}\n${String(automationSlug)}`
    const known = this.#kinds.get(name)
    if (known !== undefined) return known
    const kind = new Kind(stream)
    this.#kinds.set(name, kind)
    return kind
  }
}

class Kind {
  readonly #stream: string
  #vocabulary: Vocabulary | undefined
  #isLearning = true
  /** What all documents have that were seen while learning. */
  #common: readonly Lexeme[] | undefined
  #seenCount = 0
  /** Since it was learned, or a window ago. */
  #missedCount = 0

  constructor(stream: string) {
    this.#stream = stream
  }

  wordsOf(document: unknown): DocumentWords {
    this.#seenCount += 1
    const known = this.#isLearning ? undefined : this.#vocabulary?.known
    seen.fill(0)
    const lexemes = lexemesOf(document, known, seen)
    if (this.#isLearning) this.#learnFrom(lexemes, document)
    const vocabulary = this.#vocabulary
    const own = vocabulary === undefined ? undefined : lexemes.toVectorWithout(vocabulary.lexemes, seen)
    if (own === undefined) this.#missedCount += 1
    if (this.#seenCount >= WINDOW) this.#judge()
    if (own !== undefined) return { own, vocabulary }
    return { own: known === undefined ? lexemes.toVector() : vectorOf(document), vocabulary: undefined }
  }

  #learnFrom(lexemes: Lexemes, document: unknown): void {
    this.#common = this.#common?.filter((lexeme) => lexemes.has(lexeme)) ?? sharable(lexemes, document)
    if (this.#seenCount < LEARNED_FROM) return
    this.#vocabulary = vocabularyOf(this.#stream, this.#common, document)
    this.#isLearning = false
    this.#seenCount = 0
    this.#missedCount = 0
  }

  /** What has changed once is left out from then on: it would change again. */
  #judge(): void {
    this.#isLearning = this.#missedCount > MISSES_MAX
    this.#common = this.#vocabulary?.lexemes.all
    this.#seenCount = 0
    this.#missedCount = 0
  }
}

/** Of one document after the other, which lexemes of a vocabulary it has by what is known. */
const seen = new Uint8Array(LEXEMES_MAX)

/** What is the same for a second or an hour is not: the words of a time. Marks are about the document itself. */
function sharable(lexemes: Lexemes, document: unknown): Lexeme[] {
  const { createdAt } = document as { createdAt?: unknown }
  const ofTime = new Set(wordsOf(String(createdAt)))
  return lexemes
    .texts()
    .filter((text) => isAscii(text) && !ofTime.has(text) && !MARKS.has(text))
    .map(asLexeme)
}

/** Of lexemes that a document has. */
function vocabularyOf(stream: string, common: readonly Lexeme[], document: unknown): Vocabulary | undefined {
  if (common.length < LEXEMES_MIN || common.length > LEXEMES_MAX) return undefined
  const lexemes = new LexemeSet(common.toSorted((one, other) => Buffer.compare(one.bytes, other.bytes)))
  const hash = createHash('sha256').update(stream)
  for (const { bytes } of lexemes.all) hash.update('\0').update(bytes)
  const places = new Map(lexemes.all.map(({ bytes }, at) => [Buffer.from(bytes).toString('latin1'), at]))
  return {
    id: hash.digest('hex').slice(0, 32),
    stream,
    lexemes,
    vector: vectorOfLexemes(lexemes.all),
    known: knownIn(document, places),
  }
}

/**
 * Keeps the vocabularies that documents of this transaction name. Each is locked until its end: it isn't deleted for
 * being named by none meanwhile.
 */
export async function keep(queries: Queries, vocabularies: readonly Vocabulary[]): Promise<void> {
  if (vocabularies.length === 0) return
  const sorted = vocabularies.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  await queries.many(sql`
    insert into search.vocabularies as known (id, stream, lexemes)
    select input.id, input.stream, input.lexemes
    from unnest(${sorted.map(({ id }) => id)}::uuid[], ${sorted.map(({ stream }) => stream)}::text[],
      ${vectorArray(sorted.map(({ vector }) => vector))}::tsvector[]) as input (id, stream, lexemes)
    on conflict (id) do update set used_at = now() where known.used_at < now() - interval '1 hour'`)
}

/** Deletes the vocabularies of a stream that no document has named for a day, and none names now. */
export async function forgetUnused(queries: Queries, stream: string): Promise<void> {
  await queries.many(sql`
    delete from search.vocabularies
    where stream = ${stream} and used_at < now() - interval '1 day'
      and not exists (select 1 from search.documents where vocabulary = vocabularies.id)`)
}

/** Deletes the vocabularies of a stream that is deleted. */
export async function forgetAll(queries: Queries, stream: string): Promise<void> {
  await queries.many(sql`delete from search.vocabularies where stream = ${stream}`)
}
