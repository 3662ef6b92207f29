import type { EventRecord } from '@platform/contracts'
import { SECOND_MS } from '@platform/kernel'
import type { RunJournal } from './run-journal.ts'
import { LOOK_BACK_MS, type Strand } from './strand.ts'
import type { Timers } from './timers.ts'
import type { LogPlace, NewWait, ParkedRun, ReceivedEvent, WaitInbox, WaitOrder } from './wait-inbox.ts'

/** The run is over, or its time is: whoever waits ends as well. */
export class WaitEnded extends Error {}

/** What bounds a wait beside what it says itself. */
export interface WaitLimits {
  /** How long its run may still take. */
  readonly leftMs: number
  /** The step that waits. */
  readonly frame: {
    readonly inFinally: boolean
    /** What was waited for before it. */
    readonly strand: Pick<Strand, 'last' | 'looksFarBack'>
  }
}

interface Pending {
  readonly number: number
  readonly endsAtMs: number
  readonly wantsEvents: boolean
  /** In a `finally`: it goes on for a while when the run is cancelled. */
  readonly isCleanUp: boolean
  /** Resolves once the wait is kept, where the run has no row. */
  opened?: Promise<void>
  stopTimer?: () => void
  readonly resolve: (event: EventRecord | null) => void
  readonly reject: (reason: unknown) => void
}

interface Parts {
  readonly runId: string
  readonly workspaceId: string
  /** True where its waits are kept by its commits; else they are kept at once. */
  readonly hasRow: boolean
  readonly journal: RunJournal | undefined
  readonly buffer: { commit(): Promise<void>; settled(): Promise<void> }
  readonly inbox: WaitInbox
  readonly now: () => Date
  readonly timers: Timers
  readonly horizon: string | undefined
  readonly isPlaceWanted: (() => boolean) | undefined
  /** Told when the run may be given up that could not before. */
  readonly onChange: () => void
}

/** A run whose wait is over sooner than that stays in memory. */
export const SHORT_WAIT_MS = SECOND_MS
/** The same where other runs may want its place. */
const VERY_SHORT_WAIT_MS = 100
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The waits of one run, as far as it is in memory. */
export class RunWaits {
  /** Where the events are in the log that the run has taken. */
  readonly eventPlaces: Map<string, LogPlace | null>
  readonly #parts: Parts
  readonly #pending = new Map<number, Pending>()
  #new: NewWait[] = []
  #since: { readonly horizon: string; readonly at: number } | undefined
  #watch: Disposable | undefined
  #beginning: Promise<void> | undefined
  #isLooking = false
  #looksAgain = false
  #hasOpened = false
  #isDraining = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.eventPlaces = parts.journal?.eventPlaces ?? new Map()
    const { horizon, hasRow, inbox, journal } = parts
    if (horizon !== undefined) this.#remember(horizon)
    // Without it events count from when the wait is kept.
    else if (!hasRow || journal?.isReplaying === false)
      this.#beginning = inbox.horizon().then(
        (one) => this.#remember(one),
        () => undefined,
      )
  }

  #remember(horizon: string): void {
    this.#since = { horizon, at: performance.now() }
  }

  /** Resolves with the event, or with null when the time is over; rejects with WaitEnded when the run ends first. */
  begin(
    number: number,
    { oneOf, timeoutMs }: WaitOrder,
    { leftMs: runLeftMs, frame: { inFinally: isCleanUp, strand } }: WaitLimits,
  ): Promise<EventRecord | null> {
    const { journal } = this.#parts
    const known = journal?.findWait(number)
    const nowMs = this.#parts.now().getTime()
    return new Promise((resolve, reject) => {
      const endsAtMs = known ?? nowMs + timeoutMs
      const pending: Pending = { number, endsAtMs, wantsEvents: oneOf.length > 0, isCleanUp, resolve, reject }
      this.#pending.set(number, pending)
      if (known === undefined) this.#keep(pending, { oneOf, timeoutMs }, strand)
      else if (pending.wantsEvents) this.#look()
      this.#setTimer(pending, performance.now() + runLeftMs)
    })
  }

  /** A wait that has not been there before. */
  #keep(
    pending: Pending,
    { oneOf, timeoutMs: leftMs }: WaitOrder,
    strand: WaitLimits['frame']['strand'],
  ): void {
    const { runId, workspaceId, hasRow, journal } = this.#parts
    const { number, endsAtMs } = pending
    journal?.beginWait(number, endsAtMs)
    if (!pending.wantsEvents) return
    this.#watch ??= this.#parts.inbox.watch(runId, () => this.#look())
    const origin = hasRow ? journal?.waitOrigin : undefined
    const { looksFarBack } = strand
    const after = looksFarBack ? strand.last : undefined
    const from = { after, since: this.#horizon(looksFarBack), looksFarBack, origin }
    const wait = { runId, workspaceId, number, oneOf, leftMs, ...from }
    if (hasRow) this.#new.push(wait)
    else pending.opened = this.#open(wait, pending)
  }

  /** What the run did before is committed after its wait can be found: an answer to it can't come too early. */
  async #open(wait: NewWait, pending: Pending): Promise<void> {
    this.#hasOpened = true
    try {
      await this.#beginning
      await this.#parts.inbox.open({ ...wait, since: this.#horizon(wait.looksFarBack) })
      await this.#parts.buffer.commit()
    } catch (error) {
      this.#fail(pending, error)
    }
  }

  #horizon(looksFarBack: boolean): string | undefined {
    if (this.#since === undefined) return undefined
    const isRecent = performance.now() - this.#since.at < LOOK_BACK_MS
    return looksFarBack || isRecent ? this.#since.horizon : undefined
  }

  #setTimer(pending: Pending, runEndsAt: number): void {
    const leftMs = pending.endsAtMs - this.#parts.now().getTime()
    const runLeftMs = runEndsAt - performance.now()
    if (leftMs <= 0) return void this.#timeOver(pending)
    if (runLeftMs <= 0) return void this.#abandon(pending)
    const waitMs = Math.min(Math.ceil(Math.min(leftMs, runLeftMs)), LONGEST_TIMER_MS)
    pending.stopTimer = this.#parts.timers.after(waitMs, () => {
      if (this.isPending(pending.number)) this.#setTimer(pending, runEndsAt)
    })
  }

  async #timeOver(pending: Pending): Promise<void> {
    const { runId, inbox, buffer } = this.#parts
    this.#remove(pending)
    if (!pending.wantsEvents || this.#drop(pending)) return pending.resolve(null)
    try {
      await pending.opened
      // The wait may be on its way into the store.
      await buffer.settled()
      const received = await inbox.close(runId, pending.number)
      const answer = received.answers.find(({ number }) => number === pending.number)
      this.#receive(pending, answer, received.horizon)
    } catch (error) {
      pending.reject(error)
    }
  }

  /** True for a wait that was over before it was kept anywhere. */
  #drop({ number }: Pending): boolean {
    const left = this.#new.filter((one) => one.number !== number)
    const isDropped = left.length < this.#new.length
    this.#new = left
    return isDropped
  }

  #receive(pending: Pending, answer: ReceivedEvent | undefined, horizon: string): void {
    const { event = null, place } = answer ?? {}
    if (event !== null) {
      this.#remember(horizon)
      if (place !== undefined) this.eventPlaces.set(event.id, place)
    }
    pending.resolve(event)
  }

  #look(): void {
    this.#watch ??= this.#parts.inbox.watch(this.#parts.runId, () => this.#look())
    this.#looksAgain = this.#isLooking
    if (this.#isLooking) return
    this.#isLooking = true
    this.#takeWhatCame()
      .catch((error: unknown) => {
        for (const pending of this.#pending.values()) if (pending.wantsEvents) this.#fail(pending, error)
      })
      .finally(() => {
        this.#isLooking = false
        if (this.#looksAgain) this.#look()
        else this.#parts.onChange()
      })
  }

  async #takeWhatCame(): Promise<void> {
    // Those that wait in other strands are there when the answer is.
    const { horizon, answers } = await this.#parts.inbox.list(this.#parts.runId)
    for (const answer of answers) {
      const pending = this.#pending.get(answer.number)
      if (pending === undefined) continue
      this.#remove(pending)
      this.#receive(pending, answer, horizon)
    }
  }

  #abandon(pending: Pending): void {
    this.#fail(pending, new WaitEnded())
  }

  #fail(pending: Pending, reason: unknown): void {
    if (this.#pending.get(pending.number) !== pending) return
    this.#remove(pending)
    pending.reject(reason)
  }

  #remove(pending: Pending): void {
    pending.stopTimer?.()
    this.#pending.delete(pending.number)
  }

  /** Ends waits whose run is to end; those of its `finally` only with `cleanUp`. */
  abandon({ cleanUp }: { cleanUp: boolean }): void {
    for (const pending of [...this.#pending.values()])
      if (cleanUp || !pending.isCleanUp) this.#abandon(pending)
  }

  /** The process stops: what only waits is to be given up, however short. */
  drain(): void {
    this.#isDraining = true
  }

  isPending(number: number): boolean {
    return this.#pending.has(number)
  }

  /** True when it is worth while to give the run up until one of its waits is over. */
  mayPark(): boolean {
    if (this.#isLooking || this.#pending.size === 0) return false
    if (this.#isDraining) return true
    const leftMs = this.#firstEndMs() - this.#parts.now().getTime()
    return leftMs > SHORT_WAIT_MS || (leftMs > VERY_SHORT_WAIT_MS && this.#parts.isPlaceWanted?.() === true)
  }

  /** When the first of its waits is over. */
  #firstEndMs(): number {
    let first = Number.POSITIVE_INFINITY
    for (const { endsAtMs } of this.#pending.values()) first = Math.min(first, endsAtMs)
    return first
  }

  park(): ParkedRun {
    const pending = [...this.#pending.values()]
    const endsAtMs = this.#firstEndMs()
    for (const one of pending) this.#remove(one)
    this.#watch?.[Symbol.dispose]()
    const waitsFor = pending.some(({ wantsEvents }) => wantsEvents) ? 'event' : 'time'
    return { waitsFor, leftMs: Math.max(0, endsAtMs - this.#parts.now().getTime()) }
  }

  /** The run has ended. */
  end(): void {
    this.abandon({ cleanUp: true })
    this.#watch?.[Symbol.dispose]()
    // What is left behind by a process that dies goes when its time is over.
    if (this.#hasOpened) this.#parts.inbox.forget(this.#parts.runId).catch(() => undefined)
  }

  /** What the next commit is to keep of them. */
  take(): Kept {
    // A request waits for nothing before its run begins: where that was may be known only by now.
    const waits = this.#new.map((wait) => ({
      ...wait,
      since: wait.since ?? this.#horizon(wait.looksFarBack),
    }))
    this.#new = []
    const overWaits = this.#parts.journal?.takeOverWaits() ?? []
    return { ...(waits.length > 0 ? { waits } : {}), ...(overWaits.length > 0 ? { overWaits } : {}) }
  }

  /** A commit that was not made. */
  giveBack({ waits = [], overWaits = [] }: Kept): void {
    this.#new.unshift(...waits)
    this.#parts.journal?.giveBackOverWaits(overWaits)
  }
}

interface Kept {
  readonly waits?: readonly NewWait[]
  readonly overWaits?: readonly number[]
}
