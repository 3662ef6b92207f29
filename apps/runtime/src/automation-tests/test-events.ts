import type { EventRecord } from '@platform/contracts'
import type { NewWait, WaitInbox } from '../automations/wait-inbox.ts'
import { matchesWait } from '../waits/wait-filter.ts'

/** A run as far as events are concerned. */
interface Waiter {
  readonly waits: NewWait[]
  readonly answers: { readonly number: number; readonly event: EventRecord }[]
  /** How many events there were when it began. */
  readonly since: number
  look: () => void
}

/** The events of one test, and the waits that they end. */
export class TestEvents {
  readonly list: EventRecord[] = []
  readonly #waiters = new Map<string, Waiter>()

  /** A run begins. */
  enter(runId: string): void {
    this.#waiters.set(runId, { waits: [], answers: [], since: this.list.length, look: () => undefined })
  }

  /** It has ended. */
  leave(runId: string): void {
    this.#waiters.delete(runId)
  }

  /** True where a wait took the event for itself: then it starts no automation. */
  publish(event: EventRecord): boolean {
    this.list.push(event)
    let isTaken = false
    for (const waiter of this.#waiters.values())
      for (const wait of [...waiter.waits]) {
        const wanted = wait.oneOf.find((one) => isWanted(one, event))
        if (wanted === undefined) continue
        isTaken ||= wanted.cancelTriggers
        answer(waiter, wait, event)
      }
    return isTaken
  }

  /** A wait begins; what it is for may have come already. */
  open(runId: string, wait: NewWait): void {
    const waiter = this.#waiters.get(runId)
    if (waiter === undefined) return
    waiter.waits.push(wait)
    const last = this.list.findIndex(({ id }) => id === wait.after?.id)
    for (let at = last < 0 ? waiter.since : last + 1; at < this.list.length; at += 1) {
      const event = this.list[at] as EventRecord
      if (!wait.oneOf.some((one) => isWanted(one, event))) continue
      answer(waiter, wait, event)
      return
    }
  }

  readonly inbox: WaitInbox = {
    watch: (runId, look) => {
      const waiter = this.#waiters.get(runId)
      if (waiter !== undefined) waiter.look = look
      return { [Symbol.dispose]: () => undefined }
    },
    list: async (runId) => this.#received(runId),
    close: async (runId, number) => {
      const waits = this.#waiters.get(runId)?.waits ?? []
      const at = waits.findIndex((wait) => wait.number === number)
      if (at >= 0) waits.splice(at, 1)
      return this.#received(runId)
    },
    open: async () => undefined,
    forget: async () => undefined,
    horizon: async () => '0',
  }

  #received(runId: string) {
    return { horizon: '0', answers: this.#waiters.get(runId)?.answers ?? [] }
  }
}

const isWanted = ({ event, filters }: NewWait['oneOf'][number], came: EventRecord): boolean =>
  event === came.type && matchesWait(came, filters ?? null)

function answer(waiter: Waiter, wait: NewWait, event: EventRecord): void {
  waiter.waits.splice(waiter.waits.indexOf(wait), 1)
  waiter.answers.push({ number: wait.number, event })
  waiter.look()
}
