import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * How long one request may wait for the database, all its statements together: so it is answered within three
 * seconds.
 */
export const STORE_BUDGET_MS = 2500
/** A wait that is no longer costs nothing: many short statements don't use up the budget. */
const FREE_MS = 100
/**
 * Work that has gone on for so long is no quick answer any more: from then on each statement has its own limit alone.
 */
const LONG_WORK_MS = 10_000

/**
 * What a request may still wait for stores. Deadlines of single statements add up: the credential, the service behind
 * the gateway and each further statement would take three seconds of a database that is frozen. Waits at the same
 * time count once.
 */
export class StoreBudget {
  readonly #longAt: number
  #leftMs: number
  #waiting = 0
  #since = 0

  constructor(leftMs: number = STORE_BUDGET_MS) {
    this.#leftMs = leftMs
    this.#longAt = performance.now() + LONG_WORK_MS
  }

  /** Milliseconds that are left; Infinity for work that goes on for long. */
  get leftMs(): number {
    const now = performance.now()
    return now > this.#longAt ? Number.POSITIVE_INFINITY : Math.max(0, this.#leftMs - this.#costNow(now))
  }

  beginWait(): void {
    if (this.#waiting === 0) this.#since = performance.now()
    this.#waiting += 1
  }

  endWait(): void {
    if (this.#waiting === 1) this.#leftMs -= this.#costNow(performance.now())
    this.#waiting -= 1
  }

  #costNow(now: number): number {
    const waitedMs = this.#waiting === 0 ? 0 : now - this.#since
    return waitedMs > FREE_MS ? waitedMs : 0
  }
}

const current = new AsyncLocalStorage<StoreBudget>()

/** The budget of the work that is under way here; undefined outside of requests. */
export const storeBudget = (): StoreBudget | undefined => current.getStore()

/** Does work that has a budget, in all that it calls and awaits. */
export const withStoreBudget = <T>(budget: StoreBudget, work: () => T): T => current.run(budget, work)

/** Does work that goes on behind the request that asked for it: each statement has its own limit alone. */
export const withoutStoreBudget = <T>(work: () => T): T => current.exit(work)

/** Does work that is still to be done when the budget is used up, with at least `leastMs`. */
export function withLeastBudget<T>(leastMs: number, work: () => T): T {
  const budget = storeBudget()
  return budget === undefined || budget.leftMs >= leastMs
    ? work()
    : withStoreBudget(new StoreBudget(leastMs), work)
}
