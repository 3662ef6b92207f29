import { Failure, type FailureBody } from '@platform/kernel'
import { isTimeout, OutboundRefused } from '@platform/outbound'
import type { StreamItems } from './text-items.ts'

/** Items that are handed over together at most: what is left is read when they are done. */
const MOST_ITEMS = 100

/** What came of a stream since it was asked last; nothing after its time was over. */
export interface StreamPart {
  readonly items: readonly unknown[]
  /** Nothing comes any more. */
  readonly isOver?: boolean
  /** Why not. */
  readonly failure?: FailureBody
}

/** How a stream is read. */
export interface LiveStreamParts {
  readonly pieces: AsyncIterator<Uint8Array>
  readonly host: string
  readonly items: StreamItems
  /** Longest silence of the other side while it is waited for. */
  readonly silenceMs: number
  /** Called once, when the stream needs its connection no longer; a piece that is waited for comes to an end then. */
  readonly onClose: () => void
}

/**
 * An answer that is read while it comes. The connection is read when items are asked for and there are none: who is
 * slow to ask slows the other side down, and memory holds what one read brings.
 */
export class LiveStream {
  readonly #parts: LiveStreamParts
  readonly #items: StreamItems
  #reading: Promise<IteratorResult<Uint8Array>> | undefined
  #end: StreamPart | undefined
  #isOpen = true

  constructor(parts: LiveStreamParts) {
    this.#parts = parts
    this.#items = parts.items
  }

  /**
   * The next items as soon as there are some, or none once `withinMs` are over. Rejects with the reason of `signal`
   * when that aborts before.
   */
  async next(signal: AbortSignal, withinMs = Number.POSITIVE_INFINITY): Promise<StreamPart> {
    const untilMs = performance.now() + withinMs
    while (this.#items.isEmpty && this.#end === undefined) {
      const leftMs = Math.max(0, untilMs - performance.now())
      const isPatient = leftMs > this.#parts.silenceMs
      const read = await this.#read(signal, Math.min(leftMs, this.#parts.silenceMs))
      if (read === undefined && !isPatient) return { items: [] }
      if (read === undefined) this.#fail(`${this.#parts.host} sends nothing any more: its stream was left.`)
    }
    if (!this.#items.isEmpty) return { items: this.#items.take(MOST_ITEMS) }
    return this.#end ?? { items: [], isOver: true }
  }

  /** Leaves the stream; nothing comes any more. */
  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#end ??= { items: [], isOver: true }
    // Whoever reads just now hears of it by the end.
    this.#reading?.catch(() => undefined)
    this.#parts.onClose()
  }

  /** True once something was read, whether or not an item is whole with it; undefined when the time is over first. */
  async #read(signal: AbortSignal, withinMs: number): Promise<true | undefined> {
    this.#reading ??= this.#parts.pieces.next()
    try {
      const read = await withinTime(this.#reading, signal, withinMs)
      if (read === undefined) return undefined
      this.#reading = undefined
      const isReadable = read.done === true ? this.#items.end() : this.#items.feed(read.value)
      if (!isReadable) this.#fail(`${this.#parts.host} sends a piece that is longer than 1 MB.`)
      else if (read.done === true) this.close()
    } catch (error) {
      signal.throwIfAborted()
      this.#fail(sentenceOf(error, this.#parts.host))
    }
    return true
  }

  #fail(message: string): void {
    this.#end ??= failedPart(message)
    this.close()
  }
}

/** The end of a stream that broke off. */
export const failedPart = (message: string): StreamPart => ({
  items: [],
  failure: new Failure('StreamInterrupted', message).toJSON(),
})

function sentenceOf(error: unknown, host: string): string {
  if (error instanceof OutboundRefused) return error.message
  return isTimeout(error)
    ? `${host} sends for longer than a fetch may take: FETCH_MAX_TIMEOUT_MS says how long that is.`
    : `${host} broke its stream off.`
}

/** Undefined when the time is over first. */
function withinTime<T>(work: Promise<T>, signal: AbortSignal, ms: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const settle = (end: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
      end()
    }
    const abort = () => settle(() => reject(signal.reason))
    const timer = setTimeout(() => settle(() => resolve(undefined)), Math.ceil(ms))
    signal.addEventListener('abort', abort, { once: true })
    work.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    )
  })
}
