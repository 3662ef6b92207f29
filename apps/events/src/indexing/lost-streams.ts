import { atMost, MINUTE_MS, SECOND_MS } from '@platform/kernel'
import type { Log, SearchIndex } from '@platform/search'
import { LRUCache } from 'lru-cache'
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
  /** Whether streams are lost. */
  readonly #known = new LRUCache<string, Promise<boolean>>({ ...atMost(STREAMS_MAX), ttl: KNOWN_MS })
  #reportedAt = Number.NEGATIVE_INFINITY

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Rejects when a store is away. */
  has(stream: string): Promise<boolean> {
    const known = this.#known.get(stream)
    if (known !== undefined) return known
    const isLost = this.#look(stream)
    this.#known.set(stream, isLost)
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
    this.#deps.store.wakeLeader()
  }
}
