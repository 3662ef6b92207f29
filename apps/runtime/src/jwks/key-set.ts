import { getJwks, type PublicJwk, runtimeJwksUpdated } from '@platform/contracts'
import { type Client, createClient } from '@platform/http'
import { SECOND_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { type Job, onEveryInstance, type Subscription } from '@platform/service'

/**
 * A key removed by hand is forgotten within 30 s without any announcement, counting the pause of the gateway
 * (decisions C7).
 */
const REFRESH_MS = 10 * SECOND_MS

/**
 * The public keys of the platform, kept in step with the gateway: on its announcement, after a gap, and every ten
 * seconds. While the gateway can't be reached the keys known last stay.
 */
export class KeySet {
  readonly #client: Client
  readonly #log: Logger
  #keys = new Map<string, PublicJwk>()

  constructor(gatewayUrl: string, log: Logger) {
    this.#client = createClient(gatewayUrl, {}, 5000)
    this.#log = log
  }

  /** True once the keys were read. */
  get isReady(): boolean {
    return this.#keys.size > 0
  }

  find(kid: string): PublicJwk | undefined {
    return this.#keys.get(kid)
  }

  async reload(): Promise<void> {
    const { keys } = await this.#client(getJwks)
    this.#keys = new Map(keys.map((key) => [key.kid, key]))
  }

  get subscription(): Subscription {
    const reload = () => {
      this.reload().catch((error: unknown) => {
        this.#log.warn({ err: error }, 'signing keys not reloaded, it will be tried again')
      })
    }
    return onEveryInstance(runtimeJwksUpdated, reload, reload)
  }

  /** The gateway may start after this service, so a missing answer is nothing to warn of. */
  get job(): Job {
    return {
      name: 'reload-signing-keys',
      everyMs: REFRESH_MS,
      run: async () => {
        await this.reload().catch((error: unknown) => {
          this.#log.debug({ err: error }, 'signing keys not there yet')
        })
      },
    }
  }
}
