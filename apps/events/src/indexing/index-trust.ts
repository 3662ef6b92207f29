import { SECOND_MS } from '@platform/kernel'
import type { Log, SearchIndex } from '@platform/search'
import { inTime } from './in-time.ts'
import type { LogReason } from './index-counts.ts'
import type { IndexStore } from './index-store.ts'

/** What is known of the index is at most this old. */
const KNOWN_MS = SECOND_MS
const CHECK_MS = SECOND_MS
const LONGEST_PAUSE_MS = 30 * SECOND_MS
/** Streams that are read from the log while they are built again; more at once make it a build of everything. */
const REBUILDS_MAX = 1000
/** Older than this, an event of the log that is not indexed makes the index too late to answer. */
const LATE_MS = 10 * SECOND_MS
/** Asked about instead of all streams: that would not be easy. */
const NO_STREAM = 'events-none'

/** Whether the index may answer: undefined when it may, else the reason why the log must. */
interface Verdict {
  reason: LogReason | undefined
  rebuilding: ReadonlySet<string>
}

interface Deps {
  log: Pick<Log, 'readAfter'>
  index: Pick<SearchIndex, 'identity' | 'find'>
  store: Pick<IndexStore, 'find' | 'rebuilds'>
}

/**
 * Knows whether the index is well and complete: it is the one that was built, up to date, and answers. Looked up at
 * most once a second, while there are readers. After a failure the index is left alone for a growing while and then
 * tried without anybody waiting for it.
 */
export class IndexTrust {
  readonly #deps: Deps
  #verdict: Promise<Verdict> | undefined
  #knownUntil = 0
  #isTripped = false
  #restUntil = 0
  #pauseMs = SECOND_MS
  /** A stream of which a question had no answer, until a cheap one has. */
  #doubted: string | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Why the log must answer for a stream (or for all of them); undefined when the index may. */
  async reasonAgainst(stream: string | undefined): Promise<LogReason | undefined> {
    if (this.#isTripped) {
      if (performance.now() >= this.#restUntil) void this.#look()
      return 'away'
    }
    const { reason, rebuilding } = await this.#look()
    if (reason !== undefined) return reason
    const isRebuilt = stream === undefined ? rebuilding.size > 0 : rebuilding.has(stream)
    return isRebuilt ? 'rebuilding' : undefined
  }

  /**
   * A question about a stream (or all) had no answer: whether the index answers at all is looked up before the next.
   */
  doubt(stream: string | undefined): void {
    this.#doubted = stream ?? NO_STREAM
    if (this.#knownUntil !== Number.POSITIVE_INFINITY) this.#knownUntil = 0
  }

  /** The index did not answer. */
  failed(): void {
    if (!this.#isTripped || performance.now() >= this.#restUntil) {
      this.#restUntil = performance.now() + this.#pauseMs * (0.8 + Math.random() * 0.4)
      this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS)
    }
    this.#isTripped = true
    this.#verdict = undefined
  }

  #look(): Promise<Verdict> {
    if (this.#verdict === undefined || performance.now() >= this.#knownUntil) {
      // Until it is there all readers wait for this one; afterwards it is known for a while.
      this.#knownUntil = Number.POSITIVE_INFINITY
      this.#verdict = this.#judge()
    }
    return this.#verdict
  }

  /** Never rejects. */
  async #judge(): Promise<Verdict> {
    try {
      return await this.#compare()
    } catch {
      this.failed()
      return { reason: 'away', rebuilding: new Set() }
    } finally {
      this.#knownUntil = performance.now() + KNOWN_MS
    }
  }

  async #compare(): Promise<Verdict> {
    const { index, store, log } = this.#deps
    const [identity, record, rebuilds] = await Promise.all([
      inTime(CHECK_MS, index.identity()),
      store.find(),
      store.rebuilds(REBUILDS_MAX),
      this.#askCheaply(),
    ])
    this.#isTripped = false
    this.#pauseMs = SECOND_MS
    const rebuilding = new Set(rebuilds.map(({ stream }) => stream))
    const isComplete =
      record?.stage === 'ready' && record.identity === identity && rebuilds.length < REBUILDS_MAX
    if (!isComplete) return { reason: 'incomplete', rebuilding }
    const isLate = record.isLate || (await ageOfNext(log, record.reached)) > LATE_MS
    return { reason: isLate ? 'late' : undefined, rebuilding }
  }

  /** Rejects when not even the easiest question has an answer: a store may know its name and be too busy to search. */
  async #askCheaply(): Promise<void> {
    const stream = this.#doubted
    if (stream === undefined) return
    await inTime(CHECK_MS, this.#deps.index.find(stream, { sort: 'desc', limit: 1 }))
    if (this.#doubted === stream) this.#doubted = undefined
  }
}

/** Milliseconds since the oldest event behind a sequence happened; 0 when there is none. */
export async function ageOfNext(log: Pick<Log, 'readAfter'>, sequence: number): Promise<number> {
  const [next] = await log.readAfter(sequence, 1)
  const createdAt = Date.parse(String(next?.document.createdAt))
  return Number.isNaN(createdAt) ? 0 : Math.max(0, Date.now() - createdAt)
}
