import { readFileSync } from 'node:fs'

/** How often the beats of a process are counted. */
export const LOOK_MS = 50

/** Later than that, whoever looks has no right to say that another one is late. */
const LATE_MS = LOOK_MS * 3
/** Of the silence, the share it must have worked for. */
const WORKED_SHARE = 0.8
/** Times the silence after which it counts without work, too. */
const PATIENCE = 4

/** What can be seen of a process from outside; without it only time counts. */
export interface Usage {
  /** CPU that it has used so far. */
  readonly cpuMs: number
  /** It could work and is not let: others have the processors. */
  readonly isWaitingForCpu: boolean
}

/**
 * Tells a process that hangs from one that only gets no time: one that hangs has worked all the while, or stands still
 * although nobody keeps it from working.
 */
export class SilenceWatch {
  readonly #silenceMs: number
  readonly #usage: () => Usage | undefined
  #beats = -1
  #heardAt = 0
  #lookedAt = 0
  #cpuMs: number | undefined

  constructor(silenceMs: number, usage: () => Usage | undefined) {
    this.#silenceMs = silenceMs
    this.#usage = usage
  }

  /** To be called each LOOK_MS. True when the process will not come back. */
  look(beats: number, now: number): boolean {
    const isLate = now - this.#lookedAt > LATE_MS
    this.#lookedAt = now
    if (isLate || beats !== this.#beats) {
      this.#beats = beats
      this.#heardAt = now
      this.#cpuMs = undefined
      return false
    }
    const usage = this.#usage()
    this.#cpuMs ??= usage?.cpuMs
    const silentMs = now - this.#heardAt
    if (silentMs < this.#silenceMs) return false
    if (usage === undefined) return silentMs >= this.#silenceMs * PATIENCE
    if (usage.cpuMs - (this.#cpuMs ?? 0) >= this.#silenceMs * WORKED_SHARE) return true
    return silentMs >= this.#silenceMs * PATIENCE && !usage.isWaitingForCpu
  }
}

const TICK_MS = 10

/**
 * Of the thread that the event loop turns in, from /proc; undefined where there is none, or the process is gone. Other
 * threads may collect garbage and compile while this one gets no time.
 */
export function usageOf(pid: number): Usage | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8')
    // The name in brackets may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const cpuMs = (Number(fields[11]) + Number(fields[12])) * TICK_MS
    return { cpuMs, isWaitingForCpu: fields[0] === 'R' || fields[0] === 'D' }
  } catch {
    return undefined
  }
}
