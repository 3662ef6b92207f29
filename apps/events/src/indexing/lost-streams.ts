import { MINUTE_MS, SECOND_MS } from '@platform/kernel'
import type { Log, SearchIndex } from '@platform/search'
import { SETTLED_MS } from './compare-streams.ts'
import type { IndexStore } from './index-store.ts'

/** What is known of a stream is at most this old. */
const KNOWN_MS = SECOND_MS
/** One that the index refuses whole stays empty, however often it is built. */
const REPORT_EVERY_MS = 10 * MINUTE_MS
const STREAMS_MAX = 10_000

interface Deps {
  log: Pick<Log, 'find'>
  index: Pick<SearchIndex, 'find'>
  store: Pick<IndexStore, 'noteHealth' | 'wakeLeader'>
}

/**
 * Notices that a stream was deleted from the index behind its back: asked for after an empty answer, and true where
 * the log has something of the stream and the index has nothing. The index is then compared with the log as after an
 * outage.
 */
export class LostStreams {
  readonly #deps: Deps
  readonly #known = new Map<string, { at: number; isLost: Promise<boolean> }>()
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Rejects when a store is away. */
  has(stream: string): Promise<boolean> {
    const now = performance.now()
    const known = this.#known.get(stream)
    if (known !== undefined && now - known.at < KNOWN_MS) return known.isLost
    const isLost = this.#look(stream)
    this.#keep(stream, { at: now, isLost })
    return isLost
  }

  async #look(stream: string): Promise<boolean> {
    const [indexed] = await this.#deps.index.find(stream, { sort: 'desc', limit: 1 })
    if (indexed !== undefined) return false
    const [first] = await this.#deps.log.find(stream, { sort: 'asc', limit: 1 })
    if (first === undefined) return false
    // The first events of a stream are on their way into the index.
    if (Date.now() - Date.parse(String(first.createdAt)) > SETTLED_MS) await this.#report()
    return true
  }

  async #report(): Promise<void> {
    const now = performance.now()
    if (now - this.#reportedAt < REPORT_EVERY_MS) return
    this.#reportedAt = now
    await this.#deps.store.noteHealth(false)
    await this.#deps.store.wakeLeader()
  }

  /** The stream that nobody asked about for longest makes room. */
  #keep(stream: string, known: { at: number; isLost: Promise<boolean> }): void {
    this.#known.delete(stream)
    this.#known.set(stream, known)
    if (this.#known.size <= STREAMS_MAX) return
    const [oldest] = this.#known.keys()
    if (oldest !== undefined) this.#known.delete(oldest)
  }
}
