/** Lengths above 125 are in the bytes behind the second one (RFC 6455 5.2). */
const LENGTH_IN_2 = 126
const LENGTH_IN_8 = 127

/** Follows the frames that a server sends, to know where one may be put between them. Nothing is kept but a count. */
export class FrameEdges {
  /** Bytes of the payload that are still to come. */
  #payload = 0
  /** Bytes of the header that came, and how many there will be. */
  #headerBytes = 0
  #headerLength = 2

  /** True when a whole number of frames went by. */
  get isBetweenFrames(): boolean {
    return this.#payload === 0 && this.#headerBytes === 0
  }

  passed(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) {
      if (this.#payload > 0) {
        const part = Math.min(this.#payload, chunk.length - at)
        this.#payload -= part
        at += part
      } else {
        this.#header(chunk[at] ?? 0)
        at += 1
      }
    }
  }

  #header(byte: number): void {
    this.#headerBytes += 1
    if (this.#headerBytes === 2) this.#beginLength(byte & 0x7f, (byte & 0x80) !== 0)
    else if (this.#headerBytes > 2 && this.#headerBytes <= this.#lengthEnd)
      this.#length = this.#length * 256 + byte
    if (this.#headerBytes < this.#headerLength) return
    this.#payload = this.#length
    this.#headerBytes = 0
    this.#headerLength = 2
    this.#length = 0
  }

  #length = 0
  #lengthEnd = 2

  #beginLength(code: number, isMasked: boolean): void {
    const extra = code === LENGTH_IN_2 ? 2 : code === LENGTH_IN_8 ? 8 : 0
    this.#length = extra === 0 ? code : 0
    this.#lengthEnd = 2 + extra
    this.#headerLength = 2 + extra + (isMasked ? 4 : 0)
  }
}

/** A close frame of a server: why it ends (RFC 6455 7.4). */
export function closeFrame(code: number): Buffer {
  return Buffer.from([0x88, 2, code >> 8, code & 0xff])
}
