import { headers as names } from '@platform/contracts'
import type { Exchange } from '../exchange.ts'

/**
 * What stays open for its callers, kept by their credentials: whether one is still good is one question for all that
 * it opened.
 */
export class ByCredential<T> {
  readonly #groups = new Map<string, Map<T, Exchange>>()
  readonly #keys = new Map<T, string>()

  get size(): number {
    return this.#keys.size
  }

  add(one: T, exchange: Exchange): void {
    const key = keyOf(exchange)
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
  groups(): readonly ReadonlyMap<T, Exchange>[] {
    return [...this.#groups.values()]
  }
}

/** Everything that decides who a request is of: the same header may mean different callers on different routes. */
function keyOf({ request, forwarding, principal }: Exchange): string {
  const { authorization, cookie, [names.apiKey]: apiKey } = request.headers
  return JSON.stringify([authorization, cookie, apiKey, forwarding?.path, principal === undefined])
}
