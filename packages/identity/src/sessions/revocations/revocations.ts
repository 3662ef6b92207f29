import { setTimeout as pause } from 'node:timers/promises'
import type { AuthenticationCache } from '@platform/auth'
import type { Announcements } from '@platform/broker'
import { SECOND_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Job } from '@platform/service'
import type { RevocationStore } from './revocation-store.ts'

const TOPIC = 'sessions.revoked'
const IDS_PER_ANNOUNCEMENT = 100
const POLL_MS = 2 * SECOND_MS
const ATTEMPTS = 3

/** When the last good poll is older, nobody can say any more whether a credential is still valid. */
const UNKNOWN_AFTER_MS = 5 * SECOND_MS

/** Read again with each poll: a transaction commits a while after it has noted its time. */
const OVERLAP_SECONDS = 10

/**
 * Endings of sessions and tokens, heard by every instance: at once by announcement, and by a poll when the broker is
 * down. Both only say what to forget; the next request that uses it reads the truth from the database.
 */
export class Revocations {
  readonly #cache: AuthenticationCache
  readonly #store: RevocationStore
  readonly #announcements: Announcements
  readonly #log: Logger
  readonly #unknownAfterMs: number
  #polledAt = Number.NEGATIVE_INFINITY
  /** Endings that began in this process. */
  broadcastCount = 0

  constructor(deps: {
    cache: AuthenticationCache
    store: RevocationStore
    announcements: Announcements
    log: Logger
    unknownAfterMs?: number | undefined
  }) {
    this.#cache = deps.cache
    this.#store = deps.store
    this.#announcements = deps.announcements
    this.#log = deps.log
    this.#unknownAfterMs = deps.unknownAfterMs ?? UNKNOWN_AFTER_MS
  }

  /** False when endings may have been missed: what is in memory must not be trusted then. */
  isCurrent(): boolean {
    return performance.now() - this.#polledAt < this.#unknownAfterMs
  }

  /**
   * Tells every instance, after `ids` were committed. A broker that is down is no failure: the poll is the safety
   * net.
   */
  async broadcast(ids: readonly string[]): Promise<void> {
    this.broadcastCount += ids.length
    for (const id of ids) this.#cache.forget(id)
    for (let start = 0; start < ids.length; start += IDS_PER_ANNOUNCEMENT) {
      const batch = JSON.stringify(ids.slice(start, start + IDS_PER_ANNOUNCEMENT))
      await this.#announcements.announce(TOPIC, batch).catch((error: unknown) => {
        this.#log.warn({ err: error }, 'revocation could not be announced, it is seen by the next poll')
      })
    }
  }

  /** Hears the other instances until disposed. */
  listen(): Promise<AsyncDisposable> {
    const forget = (payload: string) => {
      for (const id of JSON.parse(payload) as string[]) this.#cache.forget(id)
    }
    return this.#announcements.listen(TOPIC, forget, () => this.#cache.clear())
  }

  /** The poll, often enough that an ending is heard within 5 s without a broker. */
  job(): Job {
    return {
      name: 'poll-revocations',
      everyMs: POLL_MS,
      requiredAtStart: true,
      run: (signal) => this.poll(signal),
    }
  }

  /** Reads what was ended since the last good poll; a failed attempt is repeated while there is time. */
  async poll(signal?: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#pollOnce()
      } catch (error) {
        if (attempt >= ATTEMPTS || signal?.aborted === true) throw error
        await pause(100)
      }
    }
  }

  async #pollOnce(): Promise<void> {
    const startedAt = performance.now()
    const missedMs = startedAt - this.#polledAt
    const wasBlind = missedMs >= this.#unknownAfterMs
    const ids = await this.#store.listRecent(
      wasBlind ? OVERLAP_SECONDS : missedMs / SECOND_MS + OVERLAP_SECONDS,
    )
    if (wasBlind) this.#cache.clear()
    else for (const id of ids) this.#cache.forget(id)
    this.#polledAt = startedAt
  }
}
