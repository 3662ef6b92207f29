import type { Log, PlacedDocument } from '@platform/search'

/** Enough for the index to be busy, and of the largest events still no more than memory takes. */
const BATCH = 1000

interface Walk {
  log: Pick<Log, 'readAfter'>
  /** Puts documents into the index. */
  add: (documents: PlacedDocument[]) => Promise<void>
  /** Stores how far the walk has come; false when it was overtaken and must end. */
  advance: (cursor: number, copied: number) => Promise<boolean>
  signal: AbortSignal
}

/**
 * Copies the log, or one stream of it, from a sequence to its end, reading ahead while the index takes what was read.
 * What is appended behind the end comes by the group of the index. Answers false when it was overtaken; rejects when
 * a store is away.
 */
export async function copyLog(walk: Walk, from: number, stream?: string): Promise<boolean> {
  const { log, add, advance, signal } = walk
  const read = (after: number) => {
    const reading = log.readAfter(after, BATCH, stream)
    // It is awaited in its turn; if that never comes nobody else hears that it failed.
    reading.catch(() => undefined)
    return reading
  }
  let next = read(from)
  for (;;) {
    signal.throwIfAborted()
    const documents = await next
    const last = documents.at(-1)
    if (last === undefined) return true
    next = read(last.sequence)
    await add(documents)
    if (!(await advance(last.sequence, documents.length))) return false
  }
}
