import { SECOND_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Job } from '@platform/service'
import type { WaitMatcher } from './match-waits.ts'
import type { WaitStore } from './wait-store.ts'

interface Deps {
  readonly waits: Pick<WaitStore, 'listUnseen' | 'listUnseenWaits' | 'listEventsSince' | 'markSeen'>
  readonly matcher: Pick<WaitMatcher, 'match' | 'fulfil'>
  readonly log: Pick<Logger, 'warn'>
}

const LOOK_MS = SECOND_MS
const BATCH = 200
const EVENTS = 256

/** Math.min takes no bigint. */
const lesser = (one: bigint, other: bigint): bigint => {
  if (one < other) return one
  return other
}

/**
 * Searches the log for events of new waits that were handled before the waits could be seen. Who handles events sees a
 * wait that was committed before they were read. So what can have been missed is in transactions before that of the
 * wait, and can be read from the log once that is committed; it does not matter who reads it, nor how often. Whoever
 * wrote the wait does it at once; where its process dies first, any other does within a second.
 */
export class LookBack {
  readonly #deps: Deps
  #unseen = new Set<string>()
  #working: Promise<void> | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The waits of a run were committed. */
  add(runId: string): void {
    this.#unseen.add(runId)
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
    })
  }

  async #work(): Promise<void> {
    // What is added in this turn of the event loop is searched for together.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#unseen.size > 0) {
      const runIds = [...this.#unseen].slice(0, BATCH)
      for (const runId of runIds) this.#unseen.delete(runId)
      try {
        await this.#search(runIds)
      } catch (err) {
        this.#deps.log.warn({ err }, 'the log could not be searched for new waits, it is done a second later')
      }
    }
  }

  async #search(runIds: readonly string[]): Promise<void> {
    const { waits, matcher } = this.#deps
    const unseen = await waits.listUnseenWaits(runIds)
    if (unseen.length === 0) return
    const lowest = unseen.map(({ since }) => BigInt(since)).reduce(lesser)
    const types = [...new Map(unseen.map((one) => [`${one.workspaceId} ${one.type}`, one])).values()]
    let after = { xid: '0', position: '0' }
    for (;;) {
      const events = await waits.listEventsSince(types, String(lowest), after, EVENTS)
      const met = await matcher.match(
        events.map(({ record }) => record),
        true,
      )
      if (met.length > 0) await matcher.fulfil(met, [])
      const last = events.at(-1)
      if (last === undefined || events.length < EVENTS) break
      after = { xid: last.xid, position: last.position }
    }
    await waits.markSeen(unseen)
  }

  readonly job: Job = {
    name: 'look-back-for-waits',
    everyMs: LOOK_MS,
    run: async (signal) => {
      let found = BATCH
      while (found === BATCH && !signal.aborted) {
        const runIds = await this.#deps.waits.listUnseen(BATCH)
        found = runIds.length
        if (found > 0) await this.#search(runIds)
      }
    },
  }
}
