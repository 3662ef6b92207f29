import { Failure, isFailureName } from '@platform/kernel'
import { failedPart, type LiveStream, type StreamPart } from './live-stream.ts'

/** What a variable holds in place of a body that comes piece by piece. Anywhere else it says what it was. */
export interface StreamHandle {
  readonly $stream: string
  readonly note: string
}

const NOTE = 'The events of a stream: repeat.on reads them, in the run that fetched it.'

const isHandle = (value: unknown): value is StreamHandle =>
  typeof value === 'object' && value !== null && '$stream' in value && typeof value.$stream === 'string'

/** The streams that one run has fetched. */
export class FetchedStreams {
  #streams: Map<string, FetchedStream> | undefined

  /** `id` is the same when the run is done again, where there is nothing to open then. */
  open(id: string, live: LiveStream, conceal: (value: unknown) => unknown): StreamHandle {
    this.#add(id, new FetchedStream(live, conceal))
    return { $stream: id, note: NOTE }
  }

  /** Undefined for a value that stands for no stream. */
  find(value: unknown): FetchedStream | undefined {
    if (!isHandle(value)) return undefined
    return this.#streams?.get(value.$stream) ?? this.#add(value.$stream, new FetchedStream())
  }

  /** A run that is given up reads none any further. */
  get hasAny(): boolean {
    return this.#streams !== undefined
  }

  /** The run is over, or given up. */
  close(): void {
    for (const stream of this.#streams?.values() ?? []) stream.close()
  }

  #add(id: string, stream: FetchedStream): FetchedStream {
    this.#streams ??= new Map()
    this.#streams.set(id, stream)
    return stream
  }
}

/** One of them, as its run reads it: the same items in the same parts when it is done again. */
export class FetchedStream {
  #live: LiveStream | undefined
  #isOver = false
  readonly #conceal: (value: unknown) => unknown
  readonly #ready: unknown[] = []

  constructor(live?: LiveStream, conceal: (value: unknown) => unknown = (value) => value) {
    this.#live = live
    this.#conceal = conceal
  }

  /** What the run is to be told, and keeps. A stream that another process had opened can't be asked for more. */
  async ask({ signal }: { readonly signal: AbortSignal }, withinMs?: number): Promise<StreamPart> {
    if (this.#isOver) return { items: [], isOver: true }
    if (this.#live === undefined)
      return failedPart(
        'This stream can’t be read any more: another process has taken the run over since it was fetched, ' +
          'the run waited meanwhile, or it was not this run that fetched it. Fetch it again.',
      )
    const part = await this.#live.next(signal, withinMs)
    return part.items.length === 0 ? part : { items: part.items.map(this.#conceal) }
  }

  /** Items to take; what is not taken stays. Undefined at the end. Throws where the stream broke off. */
  receive({ items, isOver, failure }: StreamPart): Iterable<unknown> | undefined {
    if (isOver === true || failure !== undefined) this.#forget()
    if (failure !== undefined)
      throw new Failure(isFailureName(failure.error) ? failure.error : 'StreamInterrupted', failure.message)
    this.#ready.push(...items)
    return isOver === true ? undefined : this.taken()
  }

  *taken(): Generator<unknown> {
    while (this.#ready.length > 0) yield this.#ready.shift()
  }

  close(): void {
    this.#live?.close()
  }

  #forget(): void {
    this.#isOver = true
    this.#live = undefined
  }
}
