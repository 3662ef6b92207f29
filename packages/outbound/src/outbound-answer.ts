import { pipeline, type Readable, type Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'
import { type Dispatcher, errors } from 'undici'
import type { CallTime } from './call-time.ts'
import { OutboundRefused } from './callable.ts'

interface AnswerParts {
  /** The address that answered, at the end of the redirects. */
  readonly url: URL
  readonly isRedirected: boolean
  /** Of a question that is never answered with a body. */
  readonly isHead: boolean
  readonly maxBytes: number
  readonly time: CallTime
}

const BODILESS = new Set([204, 205, 304])

/**
 * What came back. Its body is read once, whole or piece by piece, or discarded: else it keeps its connection until the
 * time of the call is over.
 */
export class OutboundAnswer {
  readonly status: number
  readonly statusText: string
  /** Names in lower case. What was sent several times is one text, as of fields that are lists; cookies are a list. */
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly #body: Dispatcher.ResponseData['body']
  readonly #parts: AnswerParts

  /** Throws OutboundRefused for a body that says that it is too large, or that is encoded more than once. */
  constructor({ statusCode, statusText, headers, body }: Dispatcher.ResponseData, parts: AnswerParts) {
    this.status = statusCode
    this.statusText = statusText
    this.headers = joined(headers)
    this.#body = body
    this.#parts = parts
    const refusal = parts.isHead ? undefined : this.#refusal()
    if (refusal !== undefined) {
      this.discard()
      throw refusal
    }
  }

  get url(): URL {
    return this.#parts.url
  }

  get isRedirected(): boolean {
    return this.#parts.isRedirected
  }

  /** True for a status of success (RFC 9110, 15.3). */
  get isOk(): boolean {
    return this.status >= 200 && this.status < 300
  }

  /** True for answers that have no body by their status or their question (RFC 9110, 6.4.1). */
  get isBodiless(): boolean {
    return this.#parts.isHead || BODILESS.has(this.status)
  }

  /** All of it, decoded. Rejects with OutboundRefused past the cap, with a TimeoutError when its time is over. */
  async bytes(): Promise<Buffer> {
    try {
      if (this.isBodiless || !DECODERS.has(this.#encoding)) return await this.#plainBytes()
      const pieces: Buffer[] = []
      for await (const piece of this.#decoded()) pieces.push(piece)
      return Buffer.concat(pieces)
    } finally {
      this.#parts.time.end()
    }
  }

  /**
   * The same piece by piece, each read when it is asked for; from now on the time of the policy counts. Who wants no
   * more of it leaves the loop, or discards the answer.
   */
  pieces(): AsyncGenerator<Buffer, void, undefined> {
    this.#parts.time.prolong()
    return this.#decoded()
  }

  discard(): void {
    this.#parts.time.end()
    leave(this.#body)
  }

  /** The connection ends where there are many more than are allowed. */
  async #plainBytes(): Promise<Buffer> {
    try {
      const bytes = Buffer.from(await this.#body.arrayBuffer())
      if (bytes.length <= this.#parts.maxBytes) return bytes
    } catch (error) {
      if (!(error instanceof errors.ResponseExceededMaxSizeError)) throw error
    }
    throw this.#tooLarge()
  }

  async *#decoded(): AsyncGenerator<Buffer, void, undefined> {
    const decoder = this.isBodiless ? undefined : DECODERS.get(this.#encoding)?.()
    const source: Readable =
      decoder === undefined ? this.#body : pipeline(this.#body, decoder, () => undefined)
    let bytes = 0
    try {
      for await (const piece of source) {
        bytes += piece.length
        if (bytes > this.#parts.maxBytes) throw this.#tooLarge()
        yield piece
      }
    } finally {
      this.#parts.time.end()
    }
  }

  #refusal(): OutboundRefused | undefined {
    const { url, maxBytes } = this.#parts
    if (this.#encoding.includes(','))
      return new OutboundRefused(`${url.host} encodes its answer more than once.`)
    return Number(this.headers['content-length'] ?? 0) > maxBytes ? this.#tooLarge() : undefined
  }

  #tooLarge(): OutboundRefused {
    const { url, maxBytes } = this.#parts
    return new OutboundRefused(`${url.host} answers more than the ${maxBytes} bytes that are allowed.`)
  }

  get #encoding(): string {
    return String(this.headers['content-encoding'] ?? '').toLowerCase()
  }
}

/** Ends the connection of a body that nobody reads. */
export const leave = (body: Dispatcher.ResponseData['body']): void =>
  void body.on('error', () => undefined).destroy()

/** As they come, rather than with the last of them. */
const FLUSHED = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }

/** The largest window that RFC 9659 allows, 8 MB. */
const ZSTD_WINDOW_LOG = 23

/** What undoes the encodings of RFC 9110, 8.4.1; what has another one stays as it is. */
const DECODERS = new Map<string, () => Transform>([
  ['gzip', () => createGunzip(FLUSHED)],
  ['x-gzip', () => createGunzip(FLUSHED)],
  ['deflate', () => createInflate(FLUSHED)],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } })],
])

function joined(given: Dispatcher.ResponseData['headers']): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (name === 'set-cookie') headers[name] = [value].flat()
    else headers[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return headers
}
