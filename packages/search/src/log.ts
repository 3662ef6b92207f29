import type { AppendedDocument, PlacedDocument, Retained, Search } from './search.ts'

/** What makes documents alike. */
export interface Grouping {
  /** Only documents of these types are looked into; to all others it is as if they had no fields. */
  types: readonly string[]
  fields: readonly GroupedField[]
}

/** A field by which documents are alike. One that is null is as one that isn't there. */
export interface GroupedField {
  path: readonly [string, ...string[]]
  /** Of its value as a text only so many characters count. */
  cutTo?: number
  /** Documents that have it are each a group of their own. */
  isAlone?: boolean
}

/** Documents that have the same in all fields: how many, the sequence of the newest, and these fields. */
export interface DocumentGroup {
  sequence: number
  count: number
  document: Record<string, unknown>
}

/**
 * The log in PostgreSQL: every stored event of every stream, in the one order in which it was appended. It is the truth
 * from which an index is built and rebuilt, what live readers follow, and what searches where no index is configured
 * or the index is away.
 */
export interface Log extends Search, Retained, AsyncDisposable {
  readonly driver: 'postgres'
  /**
   * Appends; an id that is there already is left as it is. Appends are serialised by an advisory lock, so that
   * sequences become visible in their order: a reader that has read up to a sequence misses nothing below it. Commits
   * notify the channel `documents`. Rejects, and appends nothing, where a document isn't there that is to be copied.
   */
  append(documents: readonly AppendedDocument[]): Promise<void>
  /** Documents after a sequence, of all streams or of one, oldest first. */
  readAfter(sequence: number, limit: number, stream?: string): Promise<PlacedDocument[]>
  /**
   * Documents after a sequence, of all streams, in groups of alike ones, by the sequences of the newest of each. The
   * limit is one of documents, not of groups: they are all that there are up to the sequence of the last group.
   */
  groupsAfter(sequence: number, limit: number, grouping: Grouping): Promise<DocumentGroup[]>
  /** The sequences of documents that are there, by id. */
  sequencesOf(ids: readonly string[]): Promise<Map<string, number>>
  /**
   * The sequence of a document; of one that isn't there (any more) the sequence of the newest that is older; 0 before
   * everything.
   */
  placeOf(stream: string, id: string): Promise<number>
  /** The newest sequence there is; 0 for an empty log. */
  lastSequence(): Promise<number>
  /** The newest sequence there is, and the newest document of a stream up to it; undefined for an empty stream. */
  endOf(stream: string): Promise<{ sequence: number; newestId: string | undefined }>
  /**
   * Calls `onNews` after documents were appended somewhere in the cluster, and `onGap` when some news may have been
   * missed.
   */
  listen(onNews: () => void, onGap: () => void): Promise<AsyncDisposable>
  /** Documents of each stream, for comparing with an index; streams in the order of their names. */
  counts(after: string | undefined, limit: number): Promise<{ stream: string; documents: number }[]>
}
