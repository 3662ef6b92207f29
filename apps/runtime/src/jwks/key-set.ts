import { getJwks, type PublicJwk, runtimeJwksUpdated } from '@platform/contracts'
import { SECOND_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { onEveryInstance, type Part } from '@platform/service'
import { type Client, createClient } from '@platform/service-client'

/**
 * A key removed by hand is forgotten within 30 s, also without an announcement: 10 s here, and the gateway itself reads
 * its keys at intervals.
 */
const REFRESH_MS = 10 * SECOND_MS

/**
 * The public keys of the platform, as the gateway has them: on its announcement, after a gap, and every ten
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

  get part(): Part {
    return {
      subscriptions: [onEveryInstance(runtimeJwksUpdated, this.#reloadSoon, this.#reloadSoon)],
      jobs: [{ name: 'reload-signing-keys', everyMs: REFRESH_MS, run: this.#reloadQuietly }],
    }
  }

  readonly #reloadSoon = (): void => {
    this.reload().catch((error: unknown) => {
      this.#log.warn({ err: error }, 'signing keys not reloaded, it will be tried again')
    })
  }

  /** The gateway may start after this service: then it does not respond yet, which deserves no warning. */
  readonly #reloadQuietly = async (): Promise<void> => {
    await this.reload().catch((error: unknown) => {
      this.#log.debug({ err: error }, 'signing keys not there yet')
    })
  }
}
