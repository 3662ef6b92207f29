import { SECOND_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Job } from '@platform/service'
import { isBehind, type LogPlace } from '../automations/wait-inbox.ts'
import { type FulfilledWaits, fulfil } from './fulfilled-wait-store.ts'
import { meet, probe } from './meet-waits.ts'
import type { OpenWait, SearchedType, WaitStore } from './wait-store.ts'

interface Deps {
  readonly waits: Pick<WaitStore, 'listUnseen' | 'listUnseenWaits' | 'listEventsBehind' | 'markSeen'>
  readonly fulfilled: FulfilledWaits
  readonly log: Pick<Logger, 'warn'>
}

const LOOK_MS = SECOND_MS
const BATCH = 200
const EVENTS = 256

const START: LogPlace = { xid: '0', position: '0' }

/**
 * Searches the log for events of new waits that were handled before the waits could be seen. Who handles events sees a
 * wait that was committed before they were read. So what can have been missed is in transactions before that of the
 * wait, and can be read from the log once that is committed; it does not matter who reads it, nor how often. Whoever
 * wrote the wait does it at once; where its process dies first, any other does within a second. Who handles an event
 * for a wait that nobody has searched for does it before: of two events the wait gets the one that came first.
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
        await this.search(runIds)
      } catch (err) {
        this.#deps.log.warn({ err }, 'the log could not be searched for new waits, it is done a second later')
      }
    }
  }

  /** Does it now, for runs whose waits are committed. */
  async search(runIds: readonly string[]): Promise<void> {
    for (let at = 0; at < runIds.length; at += BATCH) await this.#searchFor(runIds.slice(at, at + BATCH))
  }

  async #searchFor(runIds: readonly string[]): Promise<void> {
    const { waits, fulfilled } = this.#deps
    const unseen = await waits.listUnseenWaits(runIds)
    let left: readonly OpenWait[] = unseen.filter(({ isOpen }) => isOpen)
    let after = START
    while (left.length > 0) {
      const events = await waits.listEventsBehind(after, typesOf(left), EVENTS)
      const probed = probe(
        events.map(({ record }) => record),
        pathsOf(left),
      )
      const met = await meet(left, probed, events, true)
      if (met.length > 0) await fulfil(fulfilled, met, [])
      const over = new Set(met.map(waitText))
      left = left.filter((wait) => !over.has(waitText(wait)))
      const last = events.at(-1)
      if (last === undefined || events.length < EVENTS) break
      after = last
    }
    if (unseen.length > 0) await waits.markSeen(unseen)
  }

  readonly job: Job = {
    name: 'look-back-for-waits',
    everyMs: LOOK_MS,
    run: async (signal) => {
      let found = BATCH
      while (found === BATCH && !signal.aborted) {
        const runIds = await this.#deps.waits.listUnseen(BATCH)
        found = runIds.length
        if (found > 0) await this.search(runIds)
      }
    },
  }
}

const waitText = ({ runId, number }: OpenWait): string => `${runId} ${number}`

/** Each once, from behind the place that is the first in the log. */
function typesOf(waits: readonly OpenWait[]): SearchedType[] {
  const types = new Map<string, SearchedType>()
  for (const { workspaceId, event: type, afterXid, afterPosition } of waits) {
    const key = `${workspaceId} ${type}`
    const after = afterXid === null ? START : { xid: afterXid, position: afterPosition }
    const before = types.get(key)
    if (before === undefined || isBehind(before.after, after)) types.set(key, { workspaceId, type, after })
  }
  return [...types.values()]
}

const pathsOf = (waits: readonly OpenWait[]): OpenWait[] => [
  ...new Map(waits.map((wait) => [`${wait.workspaceId} ${wait.event} ${wait.path}`, wait])).values(),
]
