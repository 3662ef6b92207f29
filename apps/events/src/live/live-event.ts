import type { EventRecord } from '@platform/contracts'

/** An event on its way to many readers: its text is made once, when the first of them wants it. */
export class LiveEvent {
  readonly record: EventRecord
  /** Its place in the log; undefined for an event that is not kept. */
  readonly sequence: number | undefined
  #frame: Buffer | undefined

  constructor(record: EventRecord, sequence?: number) {
    this.record = record
    this.sequence = sequence
  }

  /** As a message of an event stream. What is not kept has no id: nobody could go on behind it. */
  get frame(): Buffer {
    const { id, type } = this.record
    const place = this.sequence === undefined ? '' : `id: ${id}\n`
    this.#frame ??= Buffer.from(`${place}event: ${type}\ndata: ${JSON.stringify(this.record)}\n\n`)
    return this.#frame
  }
}
