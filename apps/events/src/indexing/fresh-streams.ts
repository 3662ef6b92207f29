import { atMost, SECOND_MS } from '@platform/kernel'
import type { Log, SearchIndex } from '@platform/search'
import { LRUCache } from 'lru-cache'

/** After news a stream is refreshed for this long: they may be in the log and not in the index yet. */
const NEWS_MS = 3 * SECOND_MS
const STREAMS_MAX = 10_000

interface Seen {
  /** When the stream was last asked about, and what came of it. */
  at: number
  done: Promise<void>
  upTo: number
  newsAt: number
}

/**
 * Has readers find what was written a moment ago: a stream with fresh writes is refreshed before it is read, at most
 * once a second in this process.
 */
export class FreshStreams {
  readonly #log: Pick<Log, 'readAfter' | 'lastSequence'>
  readonly #index: Pick<SearchIndex, 'refresh'>
  readonly #seen = new LRUCache<string, Seen>(atMost(STREAMS_MAX))

  constructor(deps: { log: Pick<Log, 'readAfter' | 'lastSequence'>; index: Pick<SearchIndex, 'refresh'> }) {
    this.#log = deps.log
    this.#index = deps.index
  }

  /** Rejects when a store is away. */
  refresh(stream: string): Promise<void> {
    const now = performance.now()
    const known = this.#seen.get(stream)
    if (known !== undefined && now - known.at < SECOND_MS) return known.done
    const seen: Seen = {
      at: now,
      done: Promise.resolve(),
      upTo: known?.upTo ?? 0,
      newsAt: known?.newsAt ?? 0,
    }
    seen.done = this.#refresh(stream, seen)
    this.#seen.set(stream, seen)
    return seen.done
  }

  async #refresh(stream: string, seen: Seen): Promise<void> {
    const upTo = await this.#log.lastSequence()
    if (upTo > seen.upTo && (await this.#log.readAfter(seen.upTo, 1, stream)).length > 0)
      seen.newsAt = seen.at
    seen.upTo = upTo
    if (seen.newsAt > 0 && seen.at - seen.newsAt <= NEWS_MS) await this.#index.refresh(stream)
  }
}
