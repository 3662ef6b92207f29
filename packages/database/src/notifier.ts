import { setTimeout as pause } from 'node:timers/promises'
import { withoutStoreBudget } from '@platform/kernel'
import { type Sql, sql } from './sql.ts'

/** Who listens looks by itself now and then: a notice that takes longer is of no use. */
const NOTICE_MS = 1000
/** Whoever waits for the commit hears of it first: a notice sets processes to work that the answer would wait for. */
const BEHIND_MS = 1

/**
 * Sends notices behind the commit of what they are about (docs/adr/0059). As part of it, PostgreSQL lets one commit of
 * the whole server after the other wait for the disk. Those that come while some are on their way go together.
 */
export class Notifier {
  readonly #run: (statement: Sql, options: { timeoutMs: number }) => Promise<unknown>
  readonly #waiting = new Map<string, Set<string>>()
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
      await pause(BEHIND_MS)
      const notices = [...this.#waiting].flatMap(([channel, payloads]) =>
        [...payloads].map((payload) => ({ channel, payload })),
      )
      this.#waiting.clear()
      await this.#run(noticesOf(notices), { timeoutMs: NOTICE_MS }).catch(() => undefined)
    }
    this.#isSending = false
  }
}

/** A statement that sends notices, which are nothing to be kept: its commit waits for no disk. */
export function noticesOf(notices: readonly { channel: string; payload: string }[]): Sql {
  const channels = notices.map(({ channel }) => channel)
  const payloads = notices.map(({ payload }) => payload)
  return sql`
    select set_config('synchronous_commit', 'off', true), pg_notify(n.channel, n.payload)
    from unnest(${channels}::text[], ${payloads}::text[]) as n(channel, payload)`
}
