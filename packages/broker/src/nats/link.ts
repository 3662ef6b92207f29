import { setTimeout as pause } from 'node:timers/promises'
import { growingPauseMs } from '@platform/kernel'
import { Events, type NatsConnection, NatsError } from 'nats'
import { BrokerError, type BrokerLog } from '../broker.ts'
import type { NatsAddress } from './address.ts'
import { dial } from './dial.ts'

const CONNECT_MS = 2000
const RECONNECT_MS = { wait: 150, jitter: 350 }
/** A frozen server is noticed after two of these. */
const PING_MS = 2000
const PAUSES = { firstMs: 100, longestMs: 2000 }

/** A connection that is up. */
export interface Up {
  nc: NatsConnection
  /** Aborts when the connection is lost, even if it comes back by itself. */
  lost: AbortSignal
}

/** One connection to NATS, opened in the background and opened again for ever. */
export class Link implements AsyncDisposable {
  /** Where the servers are, without credentials. */
  readonly name: string
  readonly #address: NatsAddress
  readonly #log: BrokerLog
  readonly #closing = new AbortController()
  readonly #running: Promise<void>
  readonly #onUp = new Set<(up: Up, again: boolean) => void>()
  /** The client, also while it has no connection. */
  #client: NatsConnection | undefined
  #up: Up | undefined
  #loss = new AbortController()
  #wasUp = false
  /** Why the last attempt to connect failed, in the client's word. */
  #refusal: string | undefined
  /**
   * Those who wait for a connection. Not one promise for all: it would keep the reactions of all who ever waited until
   * NATS is back.
   */
  readonly #waiting = new Set<PromiseWithResolvers<Up>>()

  constructor(address: NatsAddress, log: BrokerLog) {
    this.name = address.servers.join(',')
    this.#address = address
    this.#log = log
    this.#running = this.#stayConnected()
  }

  /** The connection, waited for a moment; rejects with BrokerError when there is none. */
  async up(waitMs = 1000): Promise<Up> {
    if (this.#up !== undefined) return this.#up
    if (this.#closing.signal.aborted) throw closed()
    const waiter = Promise.withResolvers<Up>()
    this.#waiting.add(waiter)
    const timer = setTimeout(() => waiter.reject(this.#unreachable()), waitMs)
    try {
      return await waiter.promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(waiter)
    }
  }

  #unreachable(): BrokerError {
    const code = this.#refusal
    const why = code === undefined ? '' : ` (${code})`
    return new BrokerError(`The broker at ${this.name} can't be reached${why}.`, { unavailable: true, code })
  }

  /** Calls `listener` with each connection, also with the present one; `again` when notices may have been missed. */
  whenUp(listener: (up: Up, again: boolean) => void): Disposable {
    this.#onUp.add(listener)
    if (this.#up !== undefined) listener(this.#up, false)
    return { [Symbol.dispose]: () => void this.#onUp.delete(listener) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    for (const { reject } of this.#waiting) reject(closed())
    await this.#client?.close()
    this.#wentDown()
    await this.#running
  }

  async #stayConnected(): Promise<void> {
    for (let failures = 0; !this.#closing.signal.aborted; failures++) {
      try {
        const nc = await dial(this.#options(), this.#closing.signal)
        failures = 0
        this.#refusal = undefined
        this.#client = nc
        if (this.#closing.signal.aborted) await nc.close()
        else await this.#follow(nc)
      } catch (error) {
        this.#refusal = error instanceof NatsError ? error.code : undefined
        if (failures === 0)
          this.#log.warn({ err: error, broker: this.name }, 'broker not reached, it is tried again')
      }
      const { signal } = this.#closing
      await pause(growingPauseMs(failures, PAUSES), undefined, { signal }).catch(() => undefined)
    }
  }

  #options() {
    const { servers, credentials, tls, caFile } = this.#address
    return {
      servers,
      ...credentials,
      ...(tls ? { tls: caFile === undefined ? {} : { caFile } } : {}),
      name: 'platform',
      timeout: CONNECT_MS,
      pingInterval: PING_MS,
      maxPingOut: 1,
      maxReconnectAttempts: -1,
      ignoreAuthErrorAbort: true,
      reconnectTimeWait: RECONNECT_MS.wait,
      reconnectJitter: RECONNECT_MS.jitter,
      reconnectJitterTLS: RECONNECT_MS.jitter,
    }
  }

  /** The client connects again by itself; this only follows what it does, until it gives up. */
  async #follow(nc: NatsConnection): Promise<void> {
    this.#cameUp(nc)
    this.#followStatus(nc).catch(() => undefined)
    await nc.closed()
    this.#wentDown()
  }

  async #followStatus(nc: NatsConnection): Promise<void> {
    for await (const { type } of nc.status()) {
      if (type === Events.Disconnect) this.#wentDown()
      else if (type === Events.Reconnect) this.#cameUp(nc)
    }
  }

  #cameUp(nc: NatsConnection): void {
    // The client may say twice that it is connected again.
    if (this.#closing.signal.aborted || this.#up?.nc === nc) return
    this.#loss = new AbortController()
    this.#up = { nc, lost: this.#loss.signal }
    for (const { resolve } of this.#waiting) resolve(this.#up)
    this.#log.info({ broker: this.name }, 'broker connected')
    const again = this.#wasUp
    this.#wasUp = true
    for (const listener of this.#onUp) listener(this.#up, again)
  }

  #wentDown(): void {
    if (this.#up === undefined) return
    this.#up = undefined
    this.#loss.abort()
    if (this.#closing.signal.aborted) return
    this.#log.warn({ broker: this.name }, 'broker connection lost')
  }
}

const closed = () => new BrokerError('The broker is closed.', { unavailable: true })

/** An error of the NATS client as an error of the broker, without what the server said in clear. */
export function toNatsFailure(error: unknown, address: string): BrokerError {
  if (error instanceof BrokerError) return error
  const code = error instanceof NatsError ? String(error.api_error?.err_code ?? error.code) : undefined
  if (code === 'MAX_PAYLOAD_EXCEEDED') {
    return new BrokerError(`A message is larger than the broker at ${address} takes.`, {
      cause: error,
      unavailable: false,
      code,
    })
  }
  const reason = code === undefined ? '' : ` (${code})`
  return new BrokerError(`The broker at ${address} can't do its work or did not answer in time${reason}.`, {
    cause: error,
    unavailable: true,
    code,
  })
}

/** True when the server said that there is no such stream, consumer or message. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof NatsError && error.api_error?.code === 404
