import type { PlacedDocument, Retained, Search } from '../../src/search.ts'

/** Fills a store that is held to its port. */
interface Filled {
  /** Adds documents, in the order of their sequences; those of an id that is there already are left out. */
  add(documents: readonly PlacedDocument[]): Promise<void>
  /** What was added to a stream before is found by searches that begin now. */
  refresh(stream: string): Promise<void>
}

/** A store of documents that is held to `Search` (search.ts). */
export interface SearchUnderTest extends Filled {
  search: Search
}

/** A store of documents that is held to `Retained` (search.ts) as well. */
export interface RetainedUnderTest extends Filled {
  store: Search & Retained
}
