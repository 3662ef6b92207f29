import { randomBytes } from 'node:crypto'
import type { EventRecord } from '@platform/contracts'
import type { Options } from '@platform/expressions'
import { type Failure, uuidv7 } from '@platform/kernel'
import { SecretTexts } from '@platform/logging'
import { type SlidingLimits, waitOut } from '@platform/rate-limits'
import type { Contexts } from '../contexts/contexts.ts'
import { FetchedStreams } from '../fetches/fetched-streams.ts'
import type { Fetches } from '../fetches/fetches.ts'
import {
  type ActiveRunParts,
  AskedEffect,
  applySets,
  type Cancellation,
  CLEAN_UP_MS,
  cancelled,
  EndsOfRun,
  noKey,
  optionsOf,
  outOfTime,
  type Question,
} from './active-run-parts.ts'
import { AutomationFailure, RunCancelled, RunEnded } from './automation-failure.ts'
import { EffectIds } from './effect-ids.ts'
import type {
  CompiledAutomation,
  CompiledWorkspace,
  Elsewhere,
  Frame,
  OutsidePlace,
  QueuedRun,
  RunState,
  RunSubject,
  Stubs,
  ThrottledWork,
  Trigger,
} from './model.ts'
import { SHORT_WAIT_MS, WaitEnded } from './run-waits.ts'
import { RunSuspension } from './suspension.ts'
import { Share } from './time-slices.ts'
import { pauseBy } from './timers.ts'
import { Branches, Turns } from './turns.ts'
import type { WaitOrder } from './wait-inbox.ts'

/** The state of one run while it goes on. */
export class ActiveRun implements RunState {
  readonly runId: string
  readonly workspace: CompiledWorkspace
  readonly trigger: Trigger
  readonly subject: RunSubject
  readonly correlationId: string
  readonly maxDepth: number
  readonly contexts: Contexts
  readonly options: Options
  readonly fetches: Fetches
  readonly functions: RunState['functions']
  readonly elsewhere: Elsewhere | undefined
  readonly limits: SlidingLimits
  readonly stubs: Stubs | undefined
  readonly #effectIds: EffectIds
  readonly secrets = new SecretTexts()
  readonly streams = new FetchedStreams()
  readonly maxWaitMs: number
  readonly now: () => Date
  readonly readClock: () => Date
  readonly #parts: ActiveRunParts
  #timeLimitMs: number
  #endsAt: number
  #ended: Failure | undefined
  #cancelled: Failure | undefined
  #cleanUpEndsAt = Number.POSITIVE_INFINITY
  /** Set once a step was not done because the run was cancelled. */
  cancellation: Failure | undefined
  readonly suspension: RunSuspension
  /** Called when nothing can go on before a wait is over. */
  onIdle: (() => void) | undefined
  readonly #share: Share
  #checks = 0
  #hasSets: boolean
  #turns: Turns | undefined
  #asked = 0
  #waits = 0
  readonly #ends = new EndsOfRun()

  constructor(parts: ActiveRunParts) {
    this.#parts = parts
    this.runId = parts.runId
    this.workspace = parts.workspace
    this.trigger = parts.trigger
    this.subject = parts.subject
    this.correlationId = parts.correlationId
    this.maxDepth = parts.maxDepth
    this.contexts = parts.stored.contexts
    this.options = optionsOf(parts)
    this.fetches = parts.fetches
    this.functions = parts.functions
    this.elsewhere = parts.elsewhere
    this.limits = parts.limits
    this.stubs = parts.stubs
    this.#timeLimitMs = parts.timeLimitMs
    this.#hasSets = parts.journal?.hasSets === true
    this.maxWaitMs = parts.maxWaitMs
    this.now = parts.now
    this.readClock = parts.readClock
    this.#endsAt = performance.now() + parts.timeLimitMs
    this.suspension = new RunSuspension(parts.suspension, parts.journal)
    this.#effectIds = new EffectIds(parts.runId, parts.journal !== undefined)
    this.#share = new Share(parts.workspace.id, parts.isAwaited)
  }

  /** From now on nobody is kept waiting by it: it may take as long as this, from its beginning. */
  extend(timeLimitMs: number): void {
    this.#endsAt += Math.max(0, timeLimitMs - this.#timeLimitMs)
    this.#timeLimitMs = Math.max(timeLimitMs, this.#timeLimitMs)
  }

  randomBytes(size: number): Buffer {
    return this.#parts.journal?.chance.bytes(size) ?? randomBytes(size)
  }

  /** Ends the run at its next step: what it did since its last commit is dropped. */
  end(reason: Failure): void {
    this.#ended ??= reason
    this.#ends.steps.abort()
    this.#endCleanUp()
  }

  /** Ends the run at its next step and keeps what it did; its `finally` is run, until it is asked for again. */
  cancel(wish: Cancellation | undefined): void {
    if (wish === undefined) return
    this.#cancelled ??= cancelled(wish.reason)
    const endsAt = wish.requests > 1 ? 0 : performance.now() + CLEAN_UP_MS
    this.#cleanUpEndsAt = Math.min(this.#cleanUpEndsAt, endsAt)
    this.#ends.steps.abort()
    if (this.#heeds(this.#checks + 1)) this.#parts.buffer.waits?.abandon({ cleanUp: false })
    setTimeout(() => this.#endCleanUp(), Math.max(0, this.#cleanUpEndsAt - performance.now()) + 1).unref()
  }

  /** Nothing of it goes on here any more. */
  close(): void {
    this.streams.close()
    this.#ends.close()
  }

  get isSuspended(): boolean {
    return this.suspension.isHeeded
  }

  #endCleanUp(): void {
    this.#ends.cleanUp.abort()
    this.#parts.buffer.waits?.abandon({ cleanUp: true })
  }

  get lastNumber(): number {
    return this.#parts.journal?.number ?? 0
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined
  }

  /** True while the run waits for a limit of its workspace, or the outside. */
  get isWaiting(): boolean {
    return this.#waits > 0
  }

  tick(frame: Frame): Promise<void> | undefined {
    const now = performance.now()
    this.#check(now, frame)
    this.suspension.check()
    if (this.#hasSets) this.#hasSets = applySets(frame, this.options, this.#parts.journal)
    return this.#takeTurn(now, frame)
  }

  throttle(work: ThrottledWork, amount: number, frame: Frame): Promise<void> | undefined {
    if (this.#cancelled === undefined) this.#checks += 1
    else this.#check(performance.now(), frame)
    if (this.#parts.journal?.isReplaying === true) return undefined
    const waitMs = this.#parts.throttle.take(this.workspace.id, work, amount, performance.now())
    if (waitMs <= 0) return undefined
    // A run whose time is over before the wait ends will not have done the work.
    if (performance.now() + waitMs > this.#endsAt)
      this.#parts.throttle.giveBack(this.workspace.id, work, amount)
    return this.#wait(work, waitMs, frame)
  }

  effectId({ trace }: Pick<Frame, 'trace'>, path: string): string {
    return this.#effectIds.next(`${trace}/${path}`)
  }

  effectCount({ trace }: Pick<Frame, 'trace'>, path: string): number {
    return this.#effectIds.countOf(`${trace}/${path}`)
  }

  reportId(frame: Pick<Frame, 'trace'>, type: string): string {
    return this.#parts.commitsFirst ? this.effectId(frame, type) : uuidv7()
  }

  record(event: EventRecord): Promise<void> | undefined {
    return this.#isDone(event.type) ? undefined : this.#parts.buffer.add(this.#share.counted(event))
  }

  /** Hands on an event about the run that is no effect of it. */
  accompany(event: EventRecord): void {
    void this.#parts.buffer.add(event)
  }

  enqueue(run: QueuedRun): Promise<void> | undefined {
    return this.#isDone(`start ${run.automationSlug}`) ? undefined : this.#parts.buffer.enqueue(run)
  }

  /** Takes a number for an effect that is gathered now. True when it was committed before. */
  #isDone(place: string): boolean {
    const { journal } = this.#parts
    return journal !== undefined && (journal.hasStrayed || journal.isDone(journal.count(place)))
  }

  settle(): Promise<void> | undefined {
    const { commitsFirst, journal, buffer } = this.#parts
    return commitsFirst && journal?.isReplaying === false ? buffer.commit() : undefined
  }

  prepareContexts(automation: CompiledAutomation): Promise<void> | undefined {
    if (automation.waits) this.#parts.openWaits()
    return this.#parts.stored.load(automation)?.then(this.#parts.hasTurn)
  }

  heed(failure: unknown): void {
    if (!(failure instanceof AutomationFailure)) return
    failure.effects ??= this.lastNumber
    if (failure.fatal) this.#parts.journal?.disturb(failure)
  }

  branches<T>(): Branches<T> {
    return new Branches(this.#turnsOfRun())
  }

  async fromOutside<T>(
    frame: OutsidePlace,
    path: string,
    work: Question<T>,
    { onlyReads = false }: { readonly onlyReads?: boolean } = {},
  ): Promise<T> {
    this.#check(performance.now(), frame)
    this.#parts.journal?.requireRoom()
    const place = `${frame.trace}/${path}`
    const count = this.#effectIds.countOf(place)
    return await this.#outside(frame, path, async () => {
      if (this.#parts.commitsFirst && !onlyReads) await this.settle()
      this.#requireTime(performance.now(), frame, this.#checks + 1)
      this.#share.countQuestion()
      return await this.#ask(frame, () => this.#effectIds.idOf(place, count), work)
    })
  }

  async pause(frame: OutsidePlace, path: string, ms: number): Promise<void> {
    // Through a long one a run that may be done again is a row, as through a `wait`.
    const isLong = this.#parts.commitsFirst && ms > SHORT_WAIT_MS && !this.streams.hasAny
    await this.#outside<unknown>({ ...frame, observed: undefined }, `${path} pause`, (number) =>
      isLong
        ? this.#waitAs(number, frame, { oneOf: [], timeoutMs: ms })
        : this.#ask(frame, noKey, ({ signal }) => pauseBy(this.#parts.timers, ms, signal)),
    )
    this.#check(performance.now(), frame)
  }

  async waitFor(frame: OutsidePlace, path: string, order: WaitOrder): Promise<EventRecord | undefined> {
    this.#check(performance.now(), frame)
    this.#parts.journal?.requireRoom()
    const event = await this.#outside(frame, path, (number) => this.#waitAs(number, frame, order))
    await this.#refreshContexts()
    this.#check(performance.now(), frame)
    return event ?? undefined
  }

  async #waitAs(number: number, frame: OutsidePlace, order: WaitOrder): Promise<EventRecord | null> {
    this.#waits += 1
    try {
      const leftMs = this.#endsAt - performance.now()
      return await this.#parts.openWaits().begin(number, order, { leftMs, frame })
    } catch (error) {
      if (!(error instanceof WaitEnded)) throw error
      this.#requireTime(performance.now(), frame, this.#checks + 1)
      throw outOfTime(this.#timeLimitMs)
    } finally {
      this.#waits -= 1
    }
  }

  async #refreshContexts(): Promise<void> {
    const { journal, stored, buffer } = this.#parts
    const isNew = journal?.isReplaying !== true && (stored.hasChanges() || buffer.holdsPatches)
    if (isNew) await buffer.commit()
    await stored.refresh()
  }

  /** The process stops: what only waits is given up, however short. */
  drain(): void {
    this.#parts.buffer.waits?.drain()
    this.reconsider()
  }

  /** It is given up where nothing of it can go on until one of its waits is over. */
  reconsider(): void {
    const { waits } = this.#parts.buffer
    if (waits === undefined || this.#turns === undefined) return
    if (this.#cancelled !== undefined && this.#heeds(this.#checks + 1)) waits.abandon({ cleanUp: false })
    const isIdle = this.#turns.waitsOnlyFor((number) => waits.isPending(number)) && waits.mayPark()
    if (isIdle && !this.hasEnded) this.onIdle?.()
  }

  async #outside<T>(frame: OutsidePlace, path: string, ask: (number: number) => Promise<T>): Promise<T> {
    this.#asked += 1
    const number = this.#parts.journal?.count(`${frame.automation.slug} ${path}`) ?? this.#asked
    frame.observed?.effect(number, true)
    try {
      return await this.#turnsOfRun().outside(number, () => ask(number))
    } catch (error) {
      // The journal knows that it was cancelled, not why.
      throw error instanceof RunCancelled && this.#cancelled !== undefined
        ? this.#endedBy(this.#cancelled)
        : error
    }
  }

  #turnsOfRun(): Turns {
    this.#turns ??= new Turns(this.#parts.journal, () => this.reconsider())
    return this.#turns
  }

  async #ask<T>({ inFinally }: OutsidePlace, makeKey: () => string, work: Question<T>): Promise<T> {
    const effect = new AskedEffect({
      makeKey,
      mayRepeat: this.#parts.commitsFirst,
      remainingMs: () => Math.max(0, this.#endsAt - performance.now()),
      endOfRun: () => (inFinally ? this.#ends.cleanUp : this.#ends.steps).by(this.#endsAt),
      goesOn: () => this.hasEnded,
      turn: () => this.#share.turnIn(this.#parts.slices, performance.now()),
    })
    this.#waits += 1
    try {
      return await work(effect)
    } catch (error) {
      if (!effect.isOver) throw error
      this.#requireTime(performance.now(), { inFinally }, this.#checks + 1)
      throw outOfTime(this.#timeLimitMs)
    } finally {
      this.#waits -= 1
    }
  }

  /** A place where the run may find that it is to end; counted, so that it is the same when the run is done again. */
  #check(now: number, frame: Pick<Frame, 'inFinally'>): void {
    this.#checks += 1
    this.#requireTime(now, frame)
  }

  #requireTime(now: number, { inFinally }: Pick<Frame, 'inFinally'>, check = this.#checks): void {
    this.#parts.hasTurn?.()
    if (this.#ended !== undefined) throw new RunEnded(this.#ended)
    if (this.#parts.journal?.hasStrayed === true) throw this.#parts.journal.strayed()
    if (this.#cancelled !== undefined && this.#heeds(check) && (!inFinally || now > this.#cleanUpEndsAt)) {
      this.#parts.journal?.noticeCancelled(check)
      throw this.#endedBy(this.#cancelled)
    }
    if (now > this.#endsAt) throw outOfTime(this.#timeLimitMs)
  }

  /** What was done before it was cancelled is done again first: it may not come to another place. */
  #heeds(check: number): boolean {
    const { journal } = this.#parts
    if (journal?.cancelledAt !== undefined) return check >= journal.cancelledAt
    return journal?.isReplaying !== true
  }

  #endedBy(cancellation: Failure): RunCancelled {
    this.cancellation = cancellation
    return new RunCancelled(cancellation)
  }

  async #wait(work: ThrottledWork, longestMs: number, frame: Frame): Promise<void> {
    const startedAt = performance.now()
    const waitMs = Math.min(longestMs, Math.max(0, this.#endsAt - startedAt) + 1)
    const isOver = () => this.suspension.isPending
    this.#waits += 1
    await waitOut(this.#parts.throttle, { workspaceId: this.workspace.id, work, waitMs, isOver })
    this.#waits -= 1
    frame.measures.throttledMs += performance.now() - startedAt
    this.#requireTime(performance.now(), frame)
    this.suspension.check()
    await this.#takeTurn(performance.now(), frame)
  }

  #takeTurn(now: number, frame: Frame): Promise<void> | undefined {
    const turn = this.#share.turnIn(this.#parts.slices, now)
    return turn?.then(() => this.#requireTime(performance.now(), frame))
  }
}
