import type { Duplex } from 'node:stream'

/** The protocol that `GET /sys/link` upgrades a connection to. */
export const LINK_PROTOCOL = 'platform-link'
export const LINK_PATH = '/sys/link'

/** What a frame says, by its number on the wire; both ends of a link are of one version of the platform or the next. */
export const frameKinds = {
  /** A request with its whole body; text: method, target, then names and values of its headers, a line each. */
  request: 1,
  /** Nobody waits for the response any more. */
  abort: 2,
  /** So many bytes of a response were passed on: as many more may be sent; text: a decimal number. */
  taken: 3,
  /** Bytes of a response; the first of them are its status line and headers, as HTTP/1.1 has them. */
  data: 4,
  /** The response is complete. */
  end: 5,
  /** The response ends before it is complete. */
  broken: 6,
  /** The service is leaving: no further request is to be sent. Of no call: its number is 0. */
  goodbye: 7,
} as const

export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds]

/** Length of text and bytes (4 bytes, big-endian), of the text alone (4), number of the call (4), kind (1). */
const HEADER_BYTES = 13
const TEXT_AT = 4
const CALL_AT = 8
const KIND_AT = 12

/** Bytes of a response in one frame. */
export const PIECE_BYTES = 65_536
/** Bytes of a response that may be on their way: what its client has not taken yet. */
export const WINDOW_BYTES = 4 * PIECE_BYTES
/** More than a request with all its headers has, or a piece of a response. */
const FRAME_MAX_BYTES = 4 * PIECE_BYTES
/** What waits to be written leaves at once beyond this. */
const GATHERED_MAX_BYTES = 4 * PIECE_BYTES

const NOTHING = Buffer.alloc(0)

interface Gathered {
  readonly kind: FrameKind
  readonly call: number
  readonly text: string
  readonly bytes: Uint8Array
}

/** Writes what comes in one turn of the event loop in one piece: a write costs more than all that is in it. */
export class FrameWriter {
  readonly #socket: Duplex
  #gathered: Gathered[] = []
  #bytes = 0
  #isDue = false

  constructor(socket: Duplex) {
    this.#socket = socket
  }

  /** `text` has only characters up to U+00FF. */
  send(kind: FrameKind, call: number, text = '', bytes: Uint8Array = NOTHING): void {
    this.#gathered.push({ kind, call, text, bytes })
    this.#bytes += HEADER_BYTES + text.length + bytes.length
    if (this.#bytes > GATHERED_MAX_BYTES) this.#flush()
    else if (!this.#isDue) {
      this.#isDue = true
      setImmediate(this.#whenDue)
    }
  }

  readonly #whenDue = (): void => {
    this.#isDue = false
    this.#flush()
  }

  /** Sends what waits, then ends this direction of the connection. */
  end(): void {
    this.#flush()
    this.#socket.end()
  }

  #flush(): void {
    const frames = this.#gathered
    if (frames.length === 0) return
    const written = Buffer.allocUnsafe(this.#bytes)
    this.#gathered = []
    this.#bytes = 0
    let at = 0
    for (const { kind, call, text, bytes } of frames) {
      written.writeUInt32BE(text.length + bytes.length, at)
      written.writeUInt32BE(text.length, at + TEXT_AT)
      written.writeUInt32BE(call, at + CALL_AT)
      written.writeUInt8(kind, at + KIND_AT)
      at += HEADER_BYTES
      at += written.write(text, at, 'latin1')
      written.set(bytes, at)
      at += bytes.length
    }
    if (!this.#socket.writableEnded && !this.#socket.destroyed) this.#socket.write(written)
  }
}

/** Takes one frame; `bytes` are part of what was read. */
export type TakeFrame = (kind: number, call: number, text: string, bytes: Buffer) => void

/** Cuts what comes over a connection into its frames. */
export class FrameReader {
  #rest: Buffer = NOTHING

  /** Throws for what can be no frame: nothing behind it can be read. */
  read(chunk: Buffer, take: TakeFrame): void {
    const read = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    let at = 0
    while (read.length - at >= HEADER_BYTES) {
      const length = read.readUInt32BE(at)
      const textLength = read.readUInt32BE(at + TEXT_AT)
      if (length > FRAME_MAX_BYTES || textLength > length) throw new Error('What came is no frame of a link.')
      const start = at + HEADER_BYTES
      const end = start + length
      if (end > read.length) break
      const bytesAt = start + textLength
      const text = textLength === 0 ? '' : read.toString('latin1', start, bytesAt)
      take(read.readUInt8(at + KIND_AT), read.readUInt32BE(at + CALL_AT), text, read.subarray(bytesAt, end))
      at = end
    }
    this.#rest = at === read.length ? NOTHING : read.subarray(at)
  }
}

/**
 * Hands over each frame that comes over a connection, and behind its upgrade in `head`. It is cut where what comes is
 * no frame, or taking one throws: nothing behind that can be read.
 */
export function readFrames(socket: Duplex, head: Buffer, take: TakeFrame): void {
  const reader = new FrameReader()
  const read = (chunk: Buffer) => {
    try {
      reader.read(chunk, take)
    } catch {
      socket.destroy()
    }
  }
  socket.on('error', () => socket.destroy())
  if (head.length > 0) read(head)
  socket.on('data', read)
}

/** Between two lines; anything else of these could be read as the end of one, or would not arrive as it was. */
const unsendable = /[^\t\n\x20-\x7e\x80-\xff]/

/** A request as the text of its frame; undefined for one that has what no header of HTTP may have. */
export function requestText(method: string, target: string, headers: readonly string[]): string | undefined {
  let text = `${method}\n${target}`
  for (const part of headers) text += `\n${part}`
  // Once for all of them: a request has some thirty.
  return unsendable.test(text) || lineEndsOf(text) !== headers.length + 1 ? undefined : text
}

function lineEndsOf(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}
