import type { Logger } from '@platform/logging'

/**
 * What the gateway has opened for itself, beside the stores all services share. It is closed in reverse order, one
 * after the other: what was opened late may use what was opened before. A part that can't be closed is told and keeps
 * nothing else open.
 */
export class Opened implements AsyncDisposable {
  readonly #log: Pick<Logger, 'warn'>
  #stack = new AsyncDisposableStack()

  constructor(log: Pick<Logger, 'warn'>) {
    this.#log = log
  }

  use<T extends AsyncDisposable | Disposable>(part: T): T {
    this.#stack.defer(async () => {
      try {
        await (Symbol.asyncDispose in part ? part[Symbol.asyncDispose]() : part[Symbol.dispose]())
      } catch (error) {
        this.#log.warn({ err: error }, 'a part of the gateway could not be closed')
      }
    })
    return part
  }

  /** Leaves everything open for whoever gets the answer, which closes it. */
  handOver(): () => Promise<void> {
    const stack = this.#stack.move()
    return () => stack.disposeAsync()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}
