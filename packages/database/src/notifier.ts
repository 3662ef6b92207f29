import { setTimeout as pause } from 'node:timers/promises'
import { withoutStoreBudget } from '@platform/kernel'
import { type Sql, sql } from './sql.ts'

/** Who listens looks by itself now and then: a notice that takes longer is of no use. */
const NOTICE_MS = 1000
/** Whoever waits for the commit hears of it first: a notice sets processes to work that the answer would wait for. */
const BEHIND_MS = 1
/**
 * While news come again and again, a channel is told of them this often at most: each notice wakes a connection of the
 * server and a process for each that listens, and these rest longer than this between two looks.
 */
const GAP_MS = 10

/**
 * Sends notices behind the commit of what they are about (docs/adr/0059). As part of it, PostgreSQL lets one commit of
 * the whole server after the other wait for the disk. Those that come while some are on their way go together.
 */
export class Notifier {
  readonly #run: (statement: Sql, options: { timeoutMs: number }) => Promise<unknown>
  readonly #waiting = new Map<string, Set<string>>()
  /** When each channel was told last (`performance.now()`). */
  readonly #toldAt = new Map<string, number>()
  #isSending = false

  constructor(run: (statement: Sql, options: { timeoutMs: number }) => Promise<unknown>) {
    this.#run = run
  }

  notify(channel: string, payload: string): void {
    const payloads = this.#waiting.get(channel) ?? new Set()
    this.#waiting.set(channel, payloads.add(payload))
    if (this.#isSending) return
    this.#isSending = true
    // It is nobody's request that waits for this.
    void withoutStoreBudget(() => this.#sendAll())
  }

  /** What can't be sent is let go: who listens finds the news at its next look. */
  async #sendAll(): Promise<void> {
    while (this.#waiting.size > 0) {
      const firstAt = Math.min(...[...this.#waiting.keys()].map((channel) => this.#dueAt(channel)))
      await pause(Math.max(BEHIND_MS, Math.ceil(firstAt - performance.now())))
      const notices = this.#takeDue(performance.now())
      if (notices.length > 0)
        await this.#run(noticesOf(notices), { timeoutMs: NOTICE_MS }).catch(() => undefined)
    }
    this.#isSending = false
  }

  /** When a channel may be told next. */
  #dueAt(channel: string): number {
    return (this.#toldAt.get(channel) ?? Number.NEGATIVE_INFINITY) + GAP_MS
  }

  /** Notices of the channels that may be told now. */
  #takeDue(now: number): Notice[] {
    const due: Notice[] = []
    for (const [channel, payloads] of this.#waiting) {
      if (this.#dueAt(channel) > now) continue
      this.#waiting.delete(channel)
      this.#toldAt.set(channel, now)
      for (const payload of payloads) due.push({ channel, payload })
    }
    return due
  }
}

interface Notice {
  readonly channel: string
  readonly payload: string
}

/** A statement that sends notices, which are nothing to be kept: its commit waits for no disk. */
export function noticesOf(notices: readonly Notice[]): Sql {
  const channels = notices.map(({ channel }) => channel)
  const payloads = notices.map(({ payload }) => payload)
  return sql`
    select set_config('synchronous_commit', 'off', true), pg_notify(n.channel, n.payload)
    from unnest(${channels}::text[], ${payloads}::text[]) as n(channel, payload)`
}
