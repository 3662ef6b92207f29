import type { EventOptions, EventTarget, FetchArguments } from '@platform/contracts'
import { compilePath } from '@platform/expressions'
import { Failure } from '@platform/kernel'
import type { EventLimits } from '@platform/outbox'
import type { Frame } from '../automations/model.ts'
import type { FetchedStream } from '../fetches/fetched-streams.ts'
import { withTextAt } from './concatenated-text.ts'
import { eventOf, handOn, readOptions, readTarget } from './emitted-event.ts'
import { invalidInstruction } from './instruction.ts'
import type { TextCompiler } from './text-compiler.ts'

/** What `stream` of a fetch says, its templates filled in. */
export interface StreamOrder {
  readonly event: unknown
  readonly endChunk: unknown
  readonly additionalPayload: unknown
  readonly target: EventTarget | undefined
  readonly options: EventOptions | undefined
  readonly concatenate: Concatenate | undefined
}

/** Where the text is that chunks have parts of, and how often it is told how far it has come. */
interface Concatenate {
  readonly segments: readonly (string | number)[]
  readonly throttleMs: number
}

/** Undefined where no event is named: editors write the other fields without one. */
export function streamReader(
  args: FetchArguments['stream'],
  texts: TextCompiler,
): ((frame: Frame) => StreamOrder) | undefined {
  if (!args?.event) return undefined
  const event = texts.reader(args.event)
  const endChunk = texts.reader(args.endChunk)
  const payload = texts.reader(args.payload)
  const target = texts.reader(args.target)
  const options = texts.reader(args.options)
  const concatenate = texts.reader(args.concatenate)
  return (frame) => {
    const type = event(frame)
    return {
      event: type,
      endChunk: endChunk(frame),
      additionalPayload: payload(frame) ?? {},
      target: readTarget(type, target(frame)),
      options: readOptions(options(frame)),
      concatenate: concatenateOf(frame, concatenate(frame)),
    }
  }
}

function concatenateOf(frame: Frame, given: unknown): Concatenate | undefined {
  const { path, throttle } = Object(given) as { path?: unknown; throttle?: unknown }
  if (path === undefined || path === null || path === '') return undefined
  const throttleMs = Number(throttle ?? 0)
  if (typeof path !== 'string' || !(throttleMs >= 0 && throttleMs <= LONGEST_THROTTLE_MS))
    throw invalidInstruction('fetch.stream.concatenate needs a path, and a throttle of at most 60000 ms.')
  const { segments } = compilePath(path).resolve(frame.variables, frame.run.options)
  return { segments: segments[0] === 'chunk' ? segments.slice(1) : segments, throttleMs }
}

const LONGEST_THROTTLE_MS = 60_000

/** The last chunk that has the text of all before it. */
interface Last {
  readonly chunk: unknown
  readonly isTold: boolean
}

/** Tells of each chunk of a stream by an event, each once, also when the run is done again. */
export class StreamedEvents {
  readonly #frame: Frame
  readonly #path: string
  readonly #order: StreamOrder
  readonly #limits: EventLimits
  readonly #chunks: unknown[] = []
  #text = ''
  #last: Last | undefined
  #toldAtMs = Number.NEGATIVE_INFINITY

  constructor(frame: Frame, path: string, order: StreamOrder, limits: EventLimits) {
    this.#frame = { ...frame, observed: undefined }
    this.#path = path
    this.#order = order
    this.#limits = limits
  }

  /**
   * Reads to the end. Answers the whole: the chunks, or the last of them with the text that all have parts of. Throws
   * where the stream breaks off, once what came is told.
   */
  async tell(stream: FetchedStream): Promise<unknown> {
    try {
      while (await this.#tellPart(stream));
    } catch (error) {
      if (error instanceof Failure) await this.#tellLast()
      throw error
    }
    await this.#tellLast()
    const { endChunk } = this.#order
    if (endChunk !== undefined && endChunk !== null) await this.#emit(endChunk)
    if (this.#order.concatenate !== undefined) return this.#last?.chunk ?? null
    return this.#chunks.every((one) => typeof one === 'string') ? this.#chunks.join('') : this.#chunks
  }

  async #tellPart(stream: FetchedStream): Promise<boolean> {
    const asked = await this.#frame.run.fromOutside(
      this.#frame,
      this.#path,
      async (effect) => ({ part: await stream.ask(effect, this.#patienceMs()), atMs: Date.now() }),
      { onlyReads: true },
    )
    const items = stream.receive(asked.part)
    for (const item of items ?? []) await this.#take(Object(item).chunk, asked.atMs)
    if (this.#isDue(asked.atMs)) await this.#tellLast(asked.atMs)
    return items !== undefined
  }

  async #take(chunk: unknown, atMs: number): Promise<void> {
    const { concatenate } = this.#order
    if (concatenate === undefined) {
      this.#chunks.push(chunk)
      await this.#emit(chunk)
      return
    }
    const whole = withTextAt(chunk, concatenate.segments, this.#text)
    if (whole === undefined) return
    this.#text = whole.text
    this.#last = { chunk: whole.chunk, isTold: false }
    if (concatenate.throttleMs === 0) await this.#tellLast(atMs)
  }

  /** Until what came last is to be told, if nothing more comes. */
  #patienceMs(): number | undefined {
    const { concatenate } = this.#order
    if (concatenate === undefined || this.#last === undefined || this.#last.isTold) return undefined
    return Math.max(0, this.#toldAtMs + concatenate.throttleMs - Date.now())
  }

  #isDue(atMs: number): boolean {
    return atMs >= this.#toldAtMs + (this.#order.concatenate?.throttleMs ?? 0)
  }

  async #tellLast(atMs = this.#toldAtMs): Promise<void> {
    if (this.#last === undefined || this.#last.isTold) return
    const { chunk } = this.#last
    this.#last = { chunk, isTold: true }
    this.#toldAtMs = atMs
    await this.#emit(chunk)
  }

  async #emit(chunk: unknown): Promise<void> {
    const { event: type, additionalPayload, target, options } = this.#order
    const payload = { chunk, additionalPayload }
    const record = eventOf(this.#frame, this.#path, { type, payload, target, options }, this.#limits)
    const throttled = this.#frame.run.throttle('emits', 1, this.#frame)
    if (throttled !== undefined) await throttled
    await handOn(this.#frame, record)
  }
}
