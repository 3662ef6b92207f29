import type { Clock } from '@platform/kernel'
import type { Timers } from '../automations/timers.ts'

interface Timer {
  readonly atMs: number
  readonly work: () => void
}

/** The time of a test: it moves when nothing can go on without it, to the next thing that is to happen. */
export class TestTime implements Clock, Timers {
  #nowMs: number
  readonly #timers = new Set<Timer>()
  readonly #soon = new Set<Timer>()

  constructor(begin: Date) {
    this.#nowMs = begin.getTime()
  }

  now(): Date {
    return new Date(this.#nowMs)
  }

  after(ms: number, work: () => void): () => void {
    return put(this.#timers, { atMs: this.#nowMs + Math.max(0, Math.ceil(ms)), work })
  }

  /** No time passes before it. */
  soon(_ms: number, work: () => void): () => void {
    return put(this.#soon, { atMs: this.#nowMs, work })
  }

  /** Does the next thing that is to happen; false where there is none. */
  next(): boolean {
    const [soon] = this.#soon
    if (soon !== undefined) return fire(this.#soon, soon)
    let first: Timer | undefined
    for (const timer of this.#timers) if (first === undefined || timer.atMs < first.atMs) first = timer
    if (first === undefined) return false
    this.#nowMs = Math.max(this.#nowMs, first.atMs)
    return fire(this.#timers, first)
  }
}

function put(timers: Set<Timer>, timer: Timer): () => void {
  timers.add(timer)
  return () => void timers.delete(timer)
}

function fire(timers: Set<Timer>, timer: Timer): true {
  timers.delete(timer)
  timer.work()
  return true
}
