import type { EventRecord } from '@platform/contracts'
import { sizeOfRecords } from '@platform/outbox'
import type { StoredPatch } from '../contexts/context-store.ts'
import type { Segment } from './journal-entries.ts'
import type { QueuedRun } from './model.ts'
import type { RunJournal } from './run-journal.ts'
import type { RunWaits } from './run-waits.ts'
import { systemTimers, type Timers } from './timers.ts'
import type { NewWait } from './wait-inbox.ts'

/** What is committed together: events, runs that were started, changed contexts. */
export interface Effects {
  events: EventRecord[]
  queued: QueuedRun[]
  patches: StoredPatch[]
  /** How far a run under way has come with them, where it may be done again. */
  segment?: Segment
  /** Waits that were begun: events find them once they are committed. */
  waits?: readonly NewWait[]
  /** Waits that are over. */
  overWaits?: readonly number[]
}

/** Longest an event of a running automation waits for company. */
const FLUSH_MS = 20

/** More than this is not gathered, of effects and of characters: the run waits until it is committed. */
const FLUSH_COUNT = 500
const FLUSH_SIZE = 250_000

/**
 * Gathers the effects of a run, so that a short run is one commit. A longer one commits on the way; what can't be
 * committed then stays and goes with the next attempt, at the latest with the end of the run. Each commit is a cut
 * through the whole run, and one is under way at a time: so what is numbered up to a cut is committed with it.
 */
export class EffectBuffer {
  readonly #commit: (effects: Effects) => Promise<void>
  readonly #takePatches: () => StoredPatch[]
  readonly #journal: RunJournal | undefined
  readonly #reportFailure: (error: unknown) => void
  readonly #timers: Timers
  #effects = none()
  #size = 0
  #patchesBack: StoredPatch[] = []
  /** Stops the timer that is set. */
  #stopTimer: (() => void) | undefined
  /** Resolves with what went wrong, if anything did. */
  #flushing: Promise<unknown> | undefined
  #hasFailed = false
  #isClosed = false
  /** True when the run has triggered others: its `run` context is stored for them. */
  hasTriggered = false
  /** Of a run that has come to a wait. */
  waits: RunWaits | undefined

  readonly #onAnswer = (): void => this.#beginTimer()

  /** `reportFailure` is called for the first commit on the way that fails. */
  constructor(
    commit: (effects: Effects) => Promise<void>,
    takePatches: () => StoredPatch[],
    reportFailure: (error: unknown) => void,
    journal?: RunJournal,
    timers: Timers = systemTimers,
  ) {
    this.#commit = commit
    this.#takePatches = takePatches
    this.#reportFailure = reportFailure
    this.#journal = journal
    this.#timers = timers
    if (journal !== undefined) journal.onAnswer = this.#onAnswer
  }

  add(event: EventRecord): Promise<void> | undefined {
    if (event.source.serviceTopic !== undefined) this.hasTriggered = true
    this.#effects.events.push(event)
    this.#size += event.size
    return this.#grown()
  }

  enqueue(run: QueuedRun): Promise<void> | undefined {
    this.hasTriggered = true
    this.#effects.queued.push(run)
    return this.#grown()
  }

  /** Commits everything gathered so far. Rejects when that can't be done now. */
  async commit(): Promise<void> {
    // What is being committed may have begun before the last effect.
    if (this.#flushing !== undefined) await this.#flushing
    const error = await this.#flush()
    if (error !== undefined) throw error
  }

  /** True when changes of contexts may be on their way. */
  get holdsPatches(): boolean {
    return this.#flushing !== undefined || this.#patchesBack.length > 0
  }

  /** Resolves when no commit is under way any more. */
  async settled(): Promise<void> {
    await this.#flushing
  }

  /** Everything that is not committed yet, for the commit that ends the run. */
  async close(): Promise<Effects> {
    this.#isClosed = true
    this.#stopTimer?.()
    if (this.#flushing !== undefined) await this.#flushing
    this.#stopTimer?.()
    return this.#take()
  }

  /** Forgets what was gathered and is not committed. */
  drop(): void {
    this.#effects = none()
    this.#patchesBack = []
    this.#size = 0
  }

  #grown(): Promise<void> | undefined {
    const count = this.#effects.events.length + this.#effects.queued.length
    if (count >= FLUSH_COUNT || this.#size >= FLUSH_SIZE) return this.#flush().then(() => undefined)
    this.#beginTimer()
    return undefined
  }

  #beginTimer(): void {
    if (!this.#isClosed) this.#stopTimer ??= this.#timers.soon(FLUSH_MS, () => void this.#flush())
  }

  #flush(): Promise<unknown> {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    this.#flushing ??= this.#commitNow().finally(() => {
      this.#flushing = undefined
    })
    return this.#flushing
  }

  async #commitNow(): Promise<unknown> {
    const effects: Effects = this.#take()
    const { events, queued, patches } = effects
    const isNothing = events.length + queued.length + patches.length === 0
    if (isNothing && this.#journal?.hasNews !== true) return undefined
    const segment = this.#journal?.cut()
    try {
      await this.#commit(segment === undefined ? effects : { ...effects, segment })
    } catch (error) {
      // The store can't take them now. The end of the run tries again and reports it when it can't either.
      this.#giveBack(effects)
      if (segment !== undefined) this.#journal?.giveBack(segment)
      if (!this.#hasFailed) this.#reportFailure(error)
      this.#hasFailed = true
      return error
    }
    return undefined
  }

  #take(): Effects {
    const { events, queued } = this.#effects
    const patches = [...this.#patchesBack, ...this.#takePatches()]
    this.#size = 0
    this.#effects = none()
    this.#patchesBack = []
    return { events, queued, patches, ...this.waits?.take() }
  }

  #giveBack({ events, queued, patches, ...waits }: Effects): void {
    this.waits?.giveBack(waits)
    this.#effects.events.unshift(...events)
    this.#size += sizeOfRecords(events)
    this.#effects.queued.unshift(...queued)
    this.#patchesBack.unshift(...patches)
  }
}

const none = (): Effects => ({ events: [], queued: [], patches: [] })
