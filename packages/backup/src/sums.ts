import { createHash, type Hash } from 'node:crypto'

const LINE_END = 0x0a

/** Counts and sums of bytes as they pass; COPY ends each row with the only line end it writes. */
export class Sum {
  readonly #hash: Hash = createHash('sha256')
  bytes = 0
  rows = 0

  add(chunk: Uint8Array): void {
    this.#hash.update(chunk)
    this.bytes += chunk.byteLength
    for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) this.rows += 1
  }

  /** The sum of what has passed so far. */
  digest(): string {
    return this.#hash.copy().digest('hex')
  }
}
