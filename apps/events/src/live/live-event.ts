import type { EventRecord } from '@platform/contracts'
import { AskedDocument } from '@platform/search'

/** An event on its way to many readers: its text is made once, when the first of them wants it. */
export class LiveEvent {
  readonly record: EventRecord
  /** Its position in the log; undefined for an event that is not stored. */
  readonly sequence: number | undefined
  /** The record, for the filters of all readers. */
  readonly asked: AskedDocument
  #frame: Buffer | undefined
  #unnamed: Buffer | undefined

  constructor(record: EventRecord, sequence?: number) {
    this.record = record
    this.sequence = sequence
    this.asked = new AskedDocument(record)
  }

  /** As a message of an event stream, named by its type. */
  get frame(): Buffer {
    this.#frame ??= this.#messageNamed(`event: ${this.record.type}\n`)
    return this.#frame
  }

  /** The same without a name: an EventSource hands it to `onmessage`. */
  get unnamedFrame(): Buffer {
    this.#unnamed ??= this.#messageNamed('')
    return this.#unnamed
  }

  /** What is not stored has no id: a stream could not go on behind it. */
  #messageNamed(name: string): Buffer {
    const id = this.sequence === undefined ? '' : `id: ${this.record.id}\n`
    return Buffer.from(`${id}${name}data: ${JSON.stringify(this.record)}\n\n`)
  }
}
