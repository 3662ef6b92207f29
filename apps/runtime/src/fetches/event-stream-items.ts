import { readJson } from '@platform/expressions'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { LineItems, type StreamItem, type StreamItems, TextItems } from './text-items.ts'

/** Most characters of one event; a longer one breaks its stream off. */
const MAX_EVENT = 1_000_000
/** So much is read at a time: a line that ends at once costs a look at what follows it. */
const SLICE = 4096
/** An event of more lines is one text. */
const MAX_LINES = 100

/** Server-sent events: an item has the lines of data of one, read as JSON where they are JSON. */
class EventStreamItems implements StreamItems {
  readonly #decoder = new TextDecoder()
  readonly #events: EventSourceMessage[] = []
  #at = 0
  #isTooLong = false
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: (event) => void this.#events.push(event),
    onError: ({ type }) => {
      this.#isTooLong ||= type === 'max-buffer-size-exceeded'
    },
  })

  feed(bytes: Uint8Array): boolean {
    return this.#read(this.#decoder.decode(bytes, { stream: true }))
  }

  end(): boolean {
    return this.#read(`${this.#decoder.decode()}\n\n`)
  }

  get isEmpty(): boolean {
    return this.#at === this.#events.length
  }

  take(most: number): StreamItem[] {
    const taken = this.#events.slice(this.#at, this.#at + most)
    this.#at += taken.length
    if (this.isEmpty) this.#at = this.#events.length = 0
    return taken.map(itemOf)
  }

  #read(text: string): boolean {
    for (let at = 0; at < text.length && !this.#isTooLong; at += SLICE)
      this.#parser.feed(text.slice(at, at + SLICE))
    return !this.#isTooLong
  }
}

const itemOf = ({ data, event, id }: EventSourceMessage): StreamItem => ({
  chunk: {
    data: valuesOf(data),
    ...(event === undefined ? {} : { event }),
    ...(id === undefined ? {} : { id }),
  },
})

/** One JSON text may be written over several lines; else each line is a value. */
function valuesOf(data: string): unknown[] {
  const whole = readValue(data)
  if (whole !== undefined) return [whole.value]
  const lines = data.split('\n', MAX_LINES + 1)
  return lines.length > MAX_LINES ? [data] : lines.map((line) => readValue(line)?.value ?? line)
}

/** Most texts that are no JSON, such as `[DONE]`, are seen by their ends. Undefined where it is none. */
function readValue(text: string): { readonly value: unknown } | undefined {
  if (!/^\s*(?:[{["\d-]|true|false|null)/.test(text)) return undefined
  try {
    return { value: readJson(text) }
  } catch {
    return undefined
  }
}

/** Which answers are read while they come: server-sent events alone, or lines of JSON and texts as well. */
export type ReadWhileItComes = 'events' | 'pieces'

/** Undefined for an answer that is read whole. */
export function itemsOf(contentType: string, what: ReadWhileItComes): StreamItems | undefined {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'text/event-stream') return new EventStreamItems()
  if (what === 'events') return undefined
  if (/^application\/(x-)?(ndjson|jsonlines|jsonl|json-lines)$/.test(type)) return new LineItems()
  return type === 'text/plain' ? new TextItems() : undefined
}
