type Listener = ((event: AbortEvent) => unknown) | { handleEvent(event: AbortEvent): unknown }

interface AbortEvent {
  readonly type: 'abort'
  readonly target: AbortSignal
}

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name })

/** Only a controller makes one abort. */
const aborts = new WeakMap<AbortSignal, (reason: unknown) => void>()

export class AbortSignal {
  aborted = false
  reason: unknown = undefined
  onabort: Listener | null = null
  readonly #listeners = new Set<Listener>()

  constructor() {
    aborts.set(this, (reason) => this.#abort(reason))
  }

  static abort(reason?: unknown): AbortSignal {
    const controller = new AbortController()
    controller.abort(reason)
    return controller.signal
  }

  static timeout(ms: number): AbortSignal {
    const controller = new AbortController()
    globalThis.setTimeout(() => controller.abort(named('TimeoutError', 'The time is over.')), ms)
    return controller.signal
  }

  static any(signals: Iterable<AbortSignal>): AbortSignal {
    const controller = new AbortController()
    for (const signal of signals) {
      if (signal.aborted) controller.abort(signal.reason)
      else signal.addEventListener('abort', () => controller.abort(signal.reason))
    }
    return controller.signal
  }

  addEventListener(type: string, listener: Listener): void {
    if (type === 'abort') this.#listeners.add(listener)
  }

  removeEventListener(type: string, listener: Listener): void {
    if (type === 'abort') this.#listeners.delete(listener)
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }

  #abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason ?? named('AbortError', 'It was aborted.')
    const event: AbortEvent = { type: 'abort', target: this }
    const listeners = [...this.#listeners]
    this.#listeners.clear()
    for (const listener of this.onabort === null ? listeners : [this.onabort, ...listeners])
      if (typeof listener === 'function') listener.call(this, event)
      else listener.handleEvent(event)
  }
}

export class AbortController {
  readonly signal = new AbortSignal()

  abort(reason?: unknown): void {
    aborts.get(this.signal)?.(reason)
  }
}
