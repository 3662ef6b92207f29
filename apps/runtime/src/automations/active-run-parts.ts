import { compilePath, type Options } from '@platform/expressions'
import { Deadline, Failure } from '@platform/kernel'
import type { SlidingLimits } from '@platform/rate-limits'
import type { Fetches } from '../fetches/fetches.ts'
import { RunEnded } from './automation-failure.ts'
import type { EffectBuffer } from './effect-buffer.ts'
import type {
  CompiledWorkspace,
  Elsewhere,
  Frame,
  FunctionPlace,
  OutsideEffect,
  RunSubject,
  Stubs,
  Throttle,
  Trigger,
} from './model.ts'
import type { RunContexts } from './run-contexts.ts'
import type { RunJournal } from './run-journal.ts'
import type { RunWaits } from './run-waits.ts'
import type { TimeSlices } from './time-slices.ts'
import type { Timers } from './timers.ts'

/** Somebody wants the run to end. */
export interface Cancellation {
  /** Empty when they gave none. */
  readonly reason: string
  /** How often they asked. */
  readonly requests: number
}

/** What the record says of a run that was cancelled. */
export const cancelled = (reason: string): Failure =>
  new Failure('RunEnded', reason === '' ? 'The run was cancelled.' : `The run was cancelled: ${reason}`)

/** What a run fails with that took longer than this. */
export function outOfTime(timeLimitMs: number): RunEnded {
  const seconds = Math.round(timeLimitMs / 100) / 10
  const message = `The automation took longer than the ${seconds} s it may take: split its work or emit events.`
  return new RunEnded(new Failure('WorkflowTimeoutError', message))
}

/** A fork begins with variables that somebody has changed. Answers whether there are more of them. */
export function applySets(frame: Frame, options: Options, journal: RunJournal | undefined): boolean {
  for (const { path, value } of journal?.takeSets() ?? [])
    frame.variables.assign(compilePath(path).resolve(frame.variables, options), value)
  return journal?.hasSets === true
}

/** Time for the `finally` of a cancelled run. */
export const CLEAN_UP_MS = 30_000

/** What a run under way is made of. */
export interface ActiveRunParts {
  /** To be called when the run goes on; where nobody wants to know, there is none. */
  readonly hasTurn?: (() => void) | undefined
  readonly runId: string
  readonly workspace: CompiledWorkspace
  readonly trigger: Trigger
  readonly subject: RunSubject
  readonly correlationId: string
  readonly maxDepth: number
  /** How long the run may take. */
  readonly timeLimitMs: number
  /** Set where its workspace is suspended already. */
  readonly suspension?: Failure | undefined
  /** What the run did is committed before it asks the outside: it may be done again after a crash. */
  readonly commitsFirst: boolean
  /** Somebody waits for its end: it has more of the event loop than others. */
  readonly isAwaited: boolean
  /** Of a run that may be done again, or looked at: its effects then get the ids they had. */
  readonly journal: RunJournal | undefined
  readonly stored: RunContexts
  readonly options: Options
  readonly throttle: Throttle
  readonly fetches: Fetches
  readonly functions: FunctionPlace | undefined
  readonly elsewhere?: Elsewhere | undefined
  readonly limits: SlidingLimits
  readonly slices: Pick<TimeSlices, 'take' | 'next'>
  readonly timers: Timers
  /** In the run of a test: what answers instead of the outside. */
  readonly stubs: Stubs | undefined
  readonly buffer: EffectBuffer
  /** Made when the run comes to its first wait. */
  readonly openWaits: () => RunWaits
  readonly maxWaitMs: number
  readonly now: () => Date
  /** The time as the automation sees it. */
  readonly readClock: () => Date
}

/** Asks the outside. */
export type Question<T> = (effect: OutsideEffect) => Promise<T>

/** Of what is asked of nobody who could tell by it. */
export const noKey = (): string => ''

interface Asking {
  readonly mayRepeat: boolean
  readonly makeKey: () => string
  readonly remainingMs: () => number
  readonly endOfRun: () => AbortSignal
  readonly goesOn: () => boolean
  readonly turn: () => Promise<void> | undefined
}

/**
 * An effect that is asked for. The key and the signal are made for who asks for them, and not copied with it: what is
 * answered at once never does, and making one takes longer. A class and not an object with getters, of which V8 makes a
 * shape each, which keeps it in memory.
 */
export class AskedEffect implements OutsideEffect {
  readonly #asking: Asking
  #key: string | undefined
  #signal: AbortSignal | undefined

  constructor(asking: Asking) {
    this.#asking = asking
  }

  get key(): string {
    this.#key ??= this.#asking.makeKey()
    return this.#key
  }

  get mayRepeat(): boolean {
    return this.#asking.mayRepeat
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#asking.endOfRun()
    return this.#signal
  }

  get goesOn(): boolean {
    return this.#asking.goesOn()
  }

  get remainingMs(): () => number {
    return this.#asking.remainingMs
  }

  get turn(): () => Promise<void> | undefined {
    return this.#asking.turn
  }

  /** True once somebody has listened for the end of the run, and it came. */
  get isOver(): boolean {
    return this.#signal?.aborted === true
  }
}

/**
 * Aborts when a run is over or its time is: one signal for all that it asks, because to make one takes longer than many
 * an answer. Most runs never ask.
 */
class EndOfRun {
  #deadline: Deadline | undefined
  #endsAt = 0

  abort(): void {
    this.#deadline?.abort()
  }

  /** Nothing of the run goes on that could hear of it. */
  close(): void {
    this.#deadline?.[Symbol.dispose]()
  }

  /** Aborts at this time of `performance.now()` as well. */
  by(endsAt: number): AbortSignal {
    const leftMs = Math.ceil(Math.max(0, endsAt - performance.now()))
    if (this.#deadline === undefined) this.#deadline = new Deadline(leftMs)
    else if (this.#endsAt !== endsAt) this.#deadline.moveTo(leftMs)
    this.#endsAt = endsAt
    return this.#deadline.signal
  }
}

/** When the steps of a run are to end, and its `finally`. */
export class EndsOfRun {
  readonly steps = new EndOfRun()
  readonly cleanUp = new EndOfRun()

  close(): void {
    this.steps.close()
    this.cleanUp.close()
  }
}

/** What expressions get from outside. */
export function optionsOf({ options, journal, readClock }: ActiveRunParts): Options {
  if (journal === undefined) return options
  const { chance } = journal
  return { ...options, now: readClock, random: () => chance.random(), uuid: () => chance.uuid() }
}
