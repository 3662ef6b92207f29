import { headers as names } from '@platform/contracts'
import { networkOf } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Exchange } from '../exchange.ts'

/** How many of something that stays open there may be. */
export interface OpenLimits {
  max: number
  /** Of one caller. */
  perCaller: number
}

/**
 * What stays open for its callers: how many there may be in this process and of one caller, so that none takes all,
 * and which were opened with the same credential, so that one question tells whether all of them may stay.
 */
export class OpenConnections<T> {
  readonly #limits: OpenLimits
  /** In the singular, for example `WebSocket`. */
  readonly #what: string
  readonly #byCaller = new Map<string, number>()
  #taken = 0
  readonly #groups = new Map<string, Map<T, Exchange>>()
  readonly #keys = new Map<T, string>()
  /** True when the process is leaving and takes no further ones. */
  isClosed = false

  constructor(what: string, limits: OpenLimits) {
    this.#what = what
    this.#limits = limits
  }

  /**
   * Takes room for one more and returns the function that gives it back. Throws 503 when there is none, 429 when the
   * caller has enough.
   */
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

  /** How many are open. */
  get count(): number {
    return this.#keys.size
  }

  /** One is open now, by this request. */
  add(one: T, exchange: Exchange): void {
    const key = credentialOf(exchange)
    const group = this.#groups.get(key) ?? new Map<T, Exchange>()
    this.#groups.set(key, group.set(one, exchange))
    this.#keys.set(one, key)
  }

  delete(one: T): void {
    const key = this.#keys.get(one) ?? ''
    const group = this.#groups.get(key)
    this.#keys.delete(one)
    group?.delete(one)
    if (group?.size === 0) this.#groups.delete(key)
  }

  all(): readonly T[] {
    return [...this.#keys.keys()]
  }

  /** Those of each credential, with the requests that opened them. */
  byCredential(): readonly ReadonlyMap<T, Exchange>[] {
    return [...this.#groups.values()]
  }
}

function callerIdOf({ principal, clientIp }: Exchange): string {
  if (principal?.kind === 'user') return `user:${principal.userId}`
  if (principal?.kind === 'apiKey') return `key:${principal.apiKeyId}`
  if (principal?.kind === 'workspace') return `workspace:${principal.workspaceId}`
  return `address:${networkOf(clientIp)}`
}

/** Everything that decides who calls: the same header may mean different callers on different routes. */
function credentialOf({ request, forwarding, principal }: Exchange): string {
  const { authorization, cookie, [names.apiKey]: apiKey, [names.runToken]: run } = request.headers
  return JSON.stringify([authorization, cookie, apiKey, run, forwarding?.path, principal === undefined])
}
