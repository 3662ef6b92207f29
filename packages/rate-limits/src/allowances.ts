import { atMost } from '@platform/kernel'
import { LRUCache } from 'lru-cache'
import type { Counter } from './counter.ts'

/** Keys a process knows the state of at once; one that falls out asks the counter again. */
const KEYS_MAX = 50_000
/** Share of a limit that is taken from the counter at once. */
const BLOCK_SHARE = 0.02

/** What a process may still hand out for one key. */
interface Allowance {
  left: number
  /** What the counter had beyond, when it was asked last. */
  beyond: number
  /** End of the window, by the steady clock. */
  endsAt: number
  /** The counter has nothing more in this window. */
  isOver: boolean
  /** Uses that wait for a response of the counter. */
  waiting: number
  asking: Promise<void> | undefined
}

/** Where a key stands after a use. */
export interface Standing {
  taken: boolean
  remaining: number
  endsInMs: number
}

/**
 * Hands out uses of one limit. They are fetched from the counter in blocks of 2 % of the limit, so that a busy key
 * does not cost a question each time, and a key that is over costs none until its window ends. All processes together
 * never hand out more than the limit; each may leave up to one block of it unused.
 */
export class Allowances {
  readonly #known = new LRUCache<string, Allowance>(atMost(KEYS_MAX))
  readonly #counter: Counter
  readonly #block: number

  constructor(counter: Counter, points: number) {
    this.#counter = counter
    this.#block = Math.max(1, Math.floor(points * BLOCK_SHARE))
  }

  async take(key: string, points: number): Promise<Standing> {
    const now = performance.now()
    const allowance = this.#of(key, now)
    return isKnown(allowance, points) ? handOut(allowance, points, now) : this.#wait(key, points)
  }

  /**
   * What was taken one by one goes back to the counter, where every process finds it. What came in a block stays for
   * the next use here, and so does what is given back to a counter that was asked for too much: it would swallow it.
   */
  giveBack(key: string, points: number): void {
    const allowance = this.#known.get(key)
    if (allowance === undefined || allowance.endsAt <= performance.now()) return
    if (this.#block > 1 || allowance.isOver) allowance.left += points
    else this.#counter.giveBack(key, points)
  }

  forget(key: string): void {
    this.#known.delete(key)
  }

  #of(key: string, now: number): Allowance {
    const known = this.#known.get(key)
    if (known !== undefined && known.endsAt > now) return known
    const fresh = { left: 0, beyond: 0, endsAt: Number.POSITIVE_INFINITY, isOver: false }
    const allowance = { ...fresh, waiting: known?.waiting ?? 0, asking: undefined }
    this.#known.set(key, allowance)
    return allowance
  }

  /** One question at a time; uses that come meanwhile are in the next one. */
  async #wait(key: string, points: number): Promise<Standing> {
    this.#of(key, performance.now()).waiting += points
    try {
      for (;;) {
        const now = performance.now()
        const allowance = this.#of(key, now)
        if (isKnown(allowance, points)) return handOut(allowance, points, now)
        allowance.asking ??= this.#ask(key, allowance).finally(() => {
          allowance.asking = undefined
        })
        await allowance.asking
      }
    } finally {
      const allowance = this.#known.get(key)
      if (allowance !== undefined) allowance.waiting = Math.max(0, allowance.waiting - points)
    }
  }

  async #ask(key: string, allowance: Allowance): Promise<void> {
    const wished = Math.max(this.#block, allowance.waiting - allowance.left)
    const granted = await this.#counter.take(key, wished)
    allowance.left += granted.points
    allowance.beyond = granted.beyond
    allowance.isOver = granted.points < wished
    allowance.endsAt = Math.min(allowance.endsAt, performance.now() + granted.endsInMs)
  }
}

/** True when no question is needed. */
const isKnown = ({ left, isOver }: Allowance, points: number): boolean => left >= points || isOver

function handOut(allowance: Allowance, points: number, now: number): Standing {
  const taken = allowance.left >= points
  if (taken) allowance.left -= points
  const { left, beyond, endsAt } = allowance
  return { taken, remaining: left + beyond, endsInMs: endsAt - now }
}
