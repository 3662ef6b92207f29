import { networkOf } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Exchange } from '../exchange.ts'

/** How many of something that stays open there may be. */
export interface PlaceLimits {
  max: number
  /** Of one caller. */
  perCaller: number
}

/** Places for what stays open, in this process and of one caller: nobody takes them all. */
export class CallerPlaces {
  readonly #limits: PlaceLimits
  /** In the singular, for example `WebSocket`. */
  readonly #what: string
  readonly #byCaller = new Map<string, number>()
  #taken = 0
  /** True when the process is leaving and gives none any more. */
  isClosed = false

  constructor(what: string, limits: PlaceLimits) {
    this.#what = what
    this.#limits = limits
  }

  /** Takes a place; the answer gives it back. Throws 503 when there is none, 429 when the caller has enough. */
  take(exchange: Exchange): () => void {
    if (this.isClosed || this.#taken >= this.#limits.max)
      throw new Failure(
        'ServiceUnavailable',
        `No further ${this.#what} can be opened here: try again shortly.`,
      )
    const caller = callerIdOf(exchange)
    const others = this.#byCaller.get(caller) ?? 0
    if (others >= this.#limits.perCaller)
      throw new Failure('TooManyRequests', `You have ${others} open ${this.#what}s: close one first.`, {
        retryAfterSeconds: 1,
      })
    this.#byCaller.set(caller, others + 1)
    this.#taken += 1
    let isTaken = true
    return () => {
      if (isTaken) this.#giveBack(caller)
      isTaken = false
    }
  }

  #giveBack(caller: string): void {
    this.#taken -= 1
    const left = (this.#byCaller.get(caller) ?? 1) - 1
    if (left > 0) this.#byCaller.set(caller, left)
    else this.#byCaller.delete(caller)
  }
}

function callerIdOf({ principal, clientIp }: Exchange): string {
  if (principal?.kind === 'user') return `user:${principal.userId}`
  if (principal?.kind === 'apiKey') return `key:${principal.apiKeyId}`
  return `address:${networkOf(clientIp)}`
}
