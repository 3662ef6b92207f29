import { ShortLivedMap } from './short-lived-map.ts'

/** Gives a place back; the second call does nothing. */
export type GiveBack = () => void

interface Tenant {
  taken: number
  /** Who takes the next places, by the numbers in which they came. */
  readonly waiting: ShortLivedMap<number, (giveBack: GiveBack) => void>
}

/**
 * Places for work that is under way, for each tenant and for all together. Who waits gets the next one in turn, those
 * first whose tenant has the fewest: however many are held for long, a newcomer gets the first that is given back.
 */
export class FairPlaces {
  readonly #each: number
  readonly #all: number
  readonly #tenants = new Map<string, Tenant>()
  #taken = 0
  #lastNumber = 0

  constructor({ each, all }: { each: number; all: number }) {
    this.#each = each
    this.#all = all
  }

  /** Resolves once there is a place; rejects with the reason of `signal` when that aborts before. */
  take(key: string, signal: AbortSignal): Promise<GiveBack> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const tenant = this.#tenants.get(key) ?? { taken: 0, waiting: new ShortLivedMap() }
      this.#tenants.set(key, tenant)
      // Whoever may have a place has it already: nobody is passed over.
      if (this.#taken < this.#all && tenant.taken < this.#each) return resolve(this.#occupy(key, tenant))
      this.#lastNumber += 1
      const number = this.#lastNumber
      const abort = () => {
        tenant.waiting.delete(number)
        this.#forgetIdle(key, tenant)
        reject(signal.reason)
      }
      signal.addEventListener('abort', abort, { once: true })
      tenant.waiting.set(number, (giveBack) => {
        signal.removeEventListener('abort', abort)
        resolve(giveBack)
      })
    })
  }

  /** How many places are taken, and how many wait for one. */
  get load(): { readonly taken: number; readonly waiting: number } {
    let waiting = 0
    for (const tenant of this.#tenants.values()) waiting += tenant.waiting.size
    return { taken: this.#taken, waiting }
  }

  /** The same for one tenant. */
  loadOf(key: string): { readonly taken: number; readonly waiting: number } {
    const { taken = 0, waiting } = this.#tenants.get(key) ?? {}
    return { taken, waiting: waiting?.size ?? 0 }
  }

  #give(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const [key, tenant] = next
      const [first] = tenant.waiting.keys()
      const take = first === undefined ? undefined : tenant.waiting.get(first)
      if (first === undefined || take === undefined) return
      tenant.waiting.delete(first)
      take(this.#occupy(key, tenant))
    }
  }

  #occupy(key: string, tenant: Tenant): GiveBack {
    tenant.taken += 1
    this.#taken += 1
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      tenant.taken -= 1
      this.#taken -= 1
      this.#forgetIdle(key, tenant)
      this.#give()
    }
  }

  /** The tenant with the fewest places of those that wait and may have one more. */
  #next(): [string, Tenant] | undefined {
    if (this.#taken >= this.#all) return undefined
    let fewest: [string, Tenant] | undefined
    for (const entry of this.#tenants) {
      const [, { taken, waiting }] = entry
      if (waiting.size === 0 || taken >= this.#each) continue
      if (fewest === undefined || taken < fewest[1].taken) fewest = entry
    }
    return fewest
  }

  #forgetIdle(key: string, tenant: Tenant): void {
    if (tenant.taken === 0 && tenant.waiting.size === 0) this.#tenants.delete(key)
  }
}
