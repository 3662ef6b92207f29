import { availableParallelism } from 'node:os'
import { atMost } from '@platform/kernel'
import { LRUCache } from 'lru-cache'

/** Longest all runs of a process work in one turn of its event loop. */
const SLICE_MS = 5
/** The same while somebody waits for a run: what comes in for it is not kept waiting for what nobody waits for. */
const SHORT_SLICE_MS = 1
/** How long after such a run worked there may be more of it to come. */
const AWAITED_MS = 100
/** What a run that somebody waits for works counts this much less, so that it gets as much more of the loop. */
const AWAITED_WEIGHT = 8
/** Milliseconds after which a run is a long one, whoever waits for it. */
const LONG_MS = 100
/** Milliseconds after which a run that nobody waits for is heavy: most are over before. */
const HEAVY_MS = 10
/** While somebody waits for a run, heavy ones rest for so many times what they have worked; on many cores for less. */
const REST = 3
const REST_OF_ALL_CORES = 6
/** Longest rest, after a step that took long. */
const MAX_REST_MS = 50
/** What one event costs all who write, store and read it, about, and what a thousand characters of it add. */
const EVENT_MS = 0.3
const THOUSAND_CHARACTERS_MS = 0.1
/** What it costs to ask something outside of the process. */
const ASKED_MS = 0.5
/** Who comes back after others worked is this much before them, in the milliseconds that are counted. */
const CREDIT_MS = 5
/** Enough for all that work at the same time; one that falls out begins where the others are. */
const MAX_ACCOUNTS = 10_000

/** What a run, or other work that may be long, has of the event loop. */
export class Share {
  readonly #workspaceId: string
  readonly #urgentAccount: string
  /** Somebody waits for its end. */
  readonly #isAwaited: boolean
  #workedMs = 0
  #causedMs = 0
  /** The turn of the event loop that it worked in last. */
  slice = 0

  constructor(workspaceId: string, isAwaited: boolean) {
    this.#workspaceId = workspaceId
    this.#isAwaited = isAwaited
    this.#urgentAccount = `${workspaceId} awaited`
  }

  get isUrgent(): boolean {
    return this.#isAwaited && this.#workedMs < LONG_MS
  }

  /** It works so much that what it takes of the processor is felt by others. */
  get isHeavy(): boolean {
    return !this.isUrgent && this.#workedMs >= HEAVY_MS
  }

  /** What the workspace does for whoever waits does not stand behind what else it does. */
  get account(): string {
    return this.isUrgent ? this.#urgentAccount : this.#workspaceId
  }

  /** Milliseconds that others work for it, and that are not charged yet. */
  get causedMs(): number {
    return this.#causedMs
  }

  /** Counts an event that it emits. */
  counted<T extends { readonly size: number }>(event: T): T {
    this.#causedMs += EVENT_MS + (event.size / 1000) * THOUSAND_CHARACTERS_MS
    return event
  }

  /** It asks something outside of the process. */
  countQuestion(): void {
    this.#causedMs += ASKED_MS
  }

  /** Undefined when it may go on at once; else resolves when it may. */
  turnIn(slices: Pick<TimeSlices, 'take' | 'next'>, now: number): Promise<void> | undefined {
    return slices.take(this, now) ? undefined : slices.next(this)
  }

  /** Counts what it worked and caused; answers how much that is of its share. */
  charge(ms: number): number {
    const charged = this.isUrgent ? ms / AWAITED_WEIGHT : ms
    this.#workedMs += ms
    this.#causedMs = 0
    return charged
  }
}

/** The runs of an account that wait, in the order they came. */
interface Waiting {
  readonly isUrgent: boolean
  readonly runs: WaitingRun[]
}

interface WaitingRun {
  readonly share: Share
  readonly goOn: () => void
}

/**
 * Shares the event loop among the workspaces of a process, so that requests, timers and answers come in between: in
 * each turn of the loop runs work for one slice of time, first those of the workspace that has worked least, and among
 * them those that have waited longest. What a run causes others counts as if it had worked it. While somebody waits for
 * a run, heavy ones leave three quarters of the time to it and to the processes it needs (docs/adr/0081).
 */
export class TimeSlices {
  readonly #waiting = new Map<string, Waiting>()
  /** Milliseconds each has worked, by its share. */
  readonly #worked = new LRUCache<string, number>(atMost(MAX_ACCOUNTS))
  /** What the one that waits and has worked least had worked: nobody saves more than a credit by not working. */
  #floor = 0
  #slice = 1
  #startedAt: number | undefined
  #awaitedAt = Number.NEGATIVE_INFINITY
  /** What runs have caused others in this slice. */
  #causedMs = 0
  /** What heavy runs have worked in it and caused, and until when they rest. */
  #heavyMs = 0
  #restsUntil = Number.NEGATIVE_INFINITY
  #atWork: { readonly share: Share; readonly account: string; readonly since: number } | undefined
  readonly #rest: number

  constructor(cores = availableParallelism()) {
    this.#rest = Math.min(REST, REST_OF_ALL_CORES / cores)
  }

  /** True when it may go on at once; else it has to wait for its next slice. */
  take(share: Share, now: number): boolean {
    const { isUrgent } = share
    if (isUrgent) this.#awaitedAt = now
    const heavyRest = now < this.#restsUntil
    if (heavyRest && share.isHeavy) return false
    if (share.slice !== this.#slice && this.#isBehind(share, heavyRest)) return false
    this.#startedAt ??= this.#begin(now)
    if (this.#isOver(isUrgent, this.#startedAt, now)) return false
    if (this.#atWork?.share !== share) this.#giveTo(share, share.account, now)
    return true
  }

  /** Resolves in a later turn of the loop. */
  next(share: Share): Promise<void> {
    const { account, isUrgent } = share
    this.#charge(performance.now())
    this.#worked.set(account, this.#workedBy(account, isUrgent))
    return new Promise((resolve) => {
      const goOn = () => {
        this.#giveTo(share, account, performance.now())
        resolve()
      }
      const others = this.#waiting.get(account)
      if (others === undefined) this.#waiting.set(account, { isUrgent, runs: [{ share, goOn }] })
      else others.runs.push({ share, goOn })
      setImmediate(this.#wake)
    })
  }

  /** A run that is new to this slice stands behind those that wait, do not rest, and have worked less. */
  #isBehind({ account, isUrgent }: Share, heavyRest: boolean): boolean {
    return this.#waiting.size > 0 && this.#workedBy(account, isUrgent) >= this.#least(heavyRest).worked
  }

  /** Nobody that is waited for stands behind what others have caused. */
  #isOver(isUrgent: boolean, startedAt: number, now: number): boolean {
    if (isUrgent) return now - startedAt >= SLICE_MS
    const isOtherAwaited = startedAt - this.#awaitedAt < AWAITED_MS
    const causedMs = this.#causedMs + (this.#atWork?.share.causedMs ?? 0)
    return now - startedAt + causedMs >= (isOtherAwaited ? SHORT_SLICE_MS : SLICE_MS)
  }

  #workedBy(account: string, isUrgent: boolean): number {
    return Math.max(this.#worked.get(account) ?? 0, this.#floor - (isUrgent ? CREDIT_MS : 0))
  }

  /** Of those that wait; while heavy ones rest, of the others. */
  #least(heavyRest: boolean): { readonly account: string; readonly worked: number } {
    let least = { account: '', worked: Number.POSITIVE_INFINITY }
    for (const [account, { runs }] of this.#waiting) {
      if (heavyRest && runs[0]?.share.isHeavy === true) continue
      const worked = this.#worked.get(account) ?? this.#floor
      if (worked < least.worked) least = { account, worked }
    }
    return least
  }

  #giveTo(share: Share, account: string, now: number): void {
    this.#charge(now)
    share.slice = this.#slice
    this.#atWork = { share, account, since: now }
  }

  #charge(now: number): void {
    if (this.#atWork === undefined) return
    const { share, account, since } = this.#atWork
    this.#atWork = undefined
    const { isHeavy, isUrgent, causedMs } = share
    const ms = now - since + causedMs
    this.#causedMs += causedMs
    if (isHeavy) this.#heavyMs += ms
    this.#worked.set(account, this.#workedBy(account, isUrgent) + share.charge(ms))
  }

  #begin(now: number): number {
    setImmediate(() => this.#end(performance.now()))
    return now
  }

  #end(now: number): void {
    this.#charge(now)
    if (now - this.#awaitedAt < AWAITED_MS)
      this.#restsUntil = now + Math.min(MAX_REST_MS, this.#rest * this.#heavyMs)
    this.#heavyMs = 0
    this.#causedMs = 0
    this.#slice += 1
    this.#startedAt = undefined
  }

  /** Called once for each run that waits, and again later when it is the turn of none. */
  readonly #wake = (): void => {
    const now = performance.now()
    const restMs = this.#restsUntil - now
    const { account, worked } = this.#least(restMs > 0)
    const waiting = this.#waiting.get(account)
    if (waiting === undefined) {
      if (this.#waiting.size > 0) setTimeout(this.#wake, restMs)
      return
    }
    this.#startedAt ??= this.#begin(now)
    if (this.#isOver(waiting.isUrgent, this.#startedAt, now)) {
      setImmediate(this.#wake)
      return
    }
    this.#floor = Math.max(this.#floor, worked)
    const run = waiting.runs.shift()
    if (waiting.runs.length === 0) this.#waiting.delete(account)
    run?.goOn()
  }
}
