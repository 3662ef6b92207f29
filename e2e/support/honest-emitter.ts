import { setTimeout as pause } from 'node:timers/promises'
import { uuidv7 } from '@platform/kernel'
import { call } from './caller.ts'

/** One call that emits and what came of it; status 0 where no answer came. */
export interface Emission {
  id: string
  status: number
  ms: number
}

const TICK_MS = 20
/** Longer than any answer may take. */
const PATIENCE_MS = 20_000
const RETRY_MS = 200

/**
 * Emits one event a call at an even rate, each under an id of its own, and again under the same id until it is
 * accepted.
 */
export class HonestEmitter {
  readonly accepted = new Set<string>()
  readonly emissions: Emission[] = []
  readonly #running = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #n = 0

  readonly #origins: readonly string[]
  readonly #token: string
  readonly #workspaceId: string

  constructor(origins: readonly string[], token: string, workspaceId: string) {
    this.#origins = origins
    this.#token = token
    this.#workspaceId = workspaceId
  }

  start(perSecond: number): void {
    const startedAt = performance.now()
    this.#timer = setInterval(() => {
      while (this.#n < ((performance.now() - startedAt) / 1000) * perSecond) {
        const one: Promise<void> = this.#emit(this.#n++).finally(() => this.#running.delete(one))
        this.#running.add(one)
      }
    }, TICK_MS)
  }

  /** Resolves when the last event was accepted. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#running)
  }

  async #emit(n: number): Promise<void> {
    const id = uuidv7()
    const body = { events: [{ id, type: 'withstand.cause', payload: { n } }] }
    for (let attempt = 0; ; attempt += 1) {
      const startedAt = performance.now()
      const origin = this.#origins[(n + attempt) % this.#origins.length] ?? ''
      const status = await call(origin, 'POST', `/v2/workspaces/${this.#workspaceId}/events`, {
        token: this.#token,
        body,
        timeoutMs: PATIENCE_MS,
      }).then(
        (answer) => answer.status,
        () => 0,
      )
      this.emissions.push({ id, status, ms: performance.now() - startedAt })
      if (status === 200) {
        this.accepted.add(id)
        return
      }
      await pause(RETRY_MS)
    }
  }
}
