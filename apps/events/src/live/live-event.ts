import type { EventRecord } from '@platform/contracts'
import { AskedDocument } from '@platform/search'

/** An event on its way to many readers: its text is made once, when the first of them wants it. */
export class LiveEvent {
  readonly record: EventRecord
  /** Its place in the log; undefined for an event that is not kept. */
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

  /** What is not kept has no id: nobody could go on behind it. */
  #messageNamed(name: string): Buffer {
    const place = this.sequence === undefined ? '' : `id: ${this.record.id}\n`
    return Buffer.from(`${place}${name}data: ${JSON.stringify(this.record)}\n\n`)
  }
}
