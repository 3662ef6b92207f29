import type { Excerpt, PlacedDocument, Retained, Search, StreamDocument } from './search.ts'

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
   * notify the channel `documents`.
   */
  append(documents: readonly StreamDocument[]): Promise<void>
  /** Documents after a sequence, of all streams or of one, oldest first. */
  readAfter(sequence: number, limit: number, stream?: string): Promise<PlacedDocument[]>
  /** The same, of all streams, with these fields alone. */
  readFieldsAfter(
    sequence: number,
    limit: number,
    fields: readonly (readonly [string, ...string[]])[],
  ): Promise<Excerpt[]>
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
