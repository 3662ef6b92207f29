import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database } from '@platform/database'
import { atMost } from '@platform/kernel'
import { LRUCache } from 'lru-cache'
import type { StreamDocument } from '../search.ts'
import { vectorOf } from './search-vector.ts'
import { keep, Vocabularies, type Vocabulary } from './vocabularies.ts'

/** A vocabulary is kept again after so long, so that it isn't taken for one that nobody uses. */
const KEPT_FOR_MS = 30 * 60_000
/** Until one that could not be kept is tried again. */
const PAUSE_MS = 1000
const REMEMBERED_MAX = 1000

/** What a document is to be found by, as a `tsvector` in its binary form, beside the vocabulary with this id. */
export interface MadeWords {
  readonly own: Uint8Array
  readonly vocabulary: string | undefined
}

/**
 * Works out what documents are found by where they are made, for a log that copies them later (ADR 0095). A vocabulary
 * is named only once it is stored: until then a document has all words of its own.
 */
export class WordMaker {
  readonly #database: Database
  /** A document may be made in a transaction, which must not wait for this. */
  readonly #outside = AsyncLocalStorage.snapshot()
  readonly #vocabularies = new Vocabularies()
  /** When each was kept, or is to be tried again; milliseconds of `performance.now()`. */
  readonly #kept = new LRUCache<string, { isThere: boolean; until: number }>(atMost(REMEMBERED_MAX))

  constructor(database: Database) {
    this.#database = database
  }

  wordsOf(document: StreamDocument): MadeWords {
    const { own, vocabulary } = this.#vocabularies.wordsOf(document)
    if (vocabulary === undefined) return { own, vocabulary }
    if (this.#isThere(vocabulary)) return { own, vocabulary: vocabulary.id }
    return { own: vectorOf(document.document), vocabulary: undefined }
  }

  #isThere(vocabulary: Vocabulary): boolean {
    const known = this.#kept.get(vocabulary.id)
    if (known !== undefined && performance.now() < known.until) return known.isThere
    const isThere = known?.isThere === true
    this.#note(vocabulary, isThere, PAUSE_MS)
    const keeping = this.#outside(() => keep(this.#database, [vocabulary]))
    keeping.then(
      () => this.#note(vocabulary, true, KEPT_FOR_MS),
      () => undefined,
    )
    return isThere
  }

  #note({ id }: Vocabulary, isThere: boolean, forMs: number): void {
    this.#kept.set(id, { isThere, until: performance.now() + forMs })
  }
}
