import type { ServerResponse } from 'node:http'
import type { Exchange } from '../exchange.ts'
import { answerTooLarge, changeBody, HELD_MAX_BYTES } from './change-body.ts'
import { changesAnswer, type VersionedCall } from './versioned-call.ts'
import {
  addHeaders,
  type GivenHeaders,
  giveHeaders,
  isReadableJson,
  takeHeaders,
} from './versioned-headers.ts'

type Chunk = string | Uint8Array
type Rest = unknown[]

interface Needs {
  /** Answers the client when the answer can't be given in its version. */
  refuse: (exchange: Exchange, error: unknown) => void
  /** Told once for each answer, when it is known who called. */
  note: (call: VersionedCall, exchange: Exchange) => void
}

/** Makes the answer of an exchange one of the version that was asked for, whoever writes it. */
export const changeAnswer =
  (deps: Needs) =>
  (exchange: Exchange, call: VersionedCall): void => {
    new VersionedAnswer(exchange, call, deps).takeOver()
  }

/**
 * Stands in front of the methods that write a response. Headers are completed as the head is written; the body of a
 * JSON success that has a transform is held until it is whole and then changed, everything else passes as it comes.
 */
class VersionedAnswer {
  readonly #exchange: Exchange
  readonly #call: VersionedCall
  readonly #deps: Needs
  readonly #response: ServerResponse
  readonly #writeHead: ServerResponse['writeHead']
  readonly #write: (...parts: Rest) => boolean
  readonly #end: (...parts: Rest) => unknown
  readonly #flushHeaders: () => void
  /** `open`: no head yet; `held`: the body is gathered; `passing`: all goes through. */
  #state: 'open' | 'held' | 'passing' = 'open'
  #held: Buffer[] = []
  #size = 0
  #refused = false

  constructor(exchange: Exchange, call: VersionedCall, deps: Needs) {
    const { response } = exchange
    this.#exchange = exchange
    this.#call = call
    this.#deps = deps
    this.#response = response
    this.#writeHead = response.writeHead.bind(response)
    this.#write = response.write.bind(response) as (...parts: Rest) => boolean
    this.#end = response.end.bind(response) as (...parts: Rest) => unknown
    this.#flushHeaders = response.flushHeaders.bind(response)
  }

  takeOver(): void {
    const response = this.#response
    Object.defineProperty(response, 'headersSent', {
      configurable: true,
      // To whoever writes, a head that is held has left: another one can't follow.
      get: () =>
        this.#state === 'held' || Reflect.get(Object.getPrototypeOf(response), 'headersSent', response),
    })
    Object.assign(response, {
      writeHead: (status: number, ...rest: Rest) => this.#onHead(status, rest),
      write: (chunk: Chunk, ...rest: Rest) => this.#onWrite(chunk, rest),
      end: (...parts: Rest) => this.#onEnd(parts),
      flushHeaders: () => this.#onFlush(),
    })
  }

  #onHead(status: number, rest: Rest): ServerResponse {
    const response = this.#response
    if (this.#state === 'held') return response
    if (this.#state === 'passing') return this.#writeHead(status, ...(rest as []))
    takeHeaders(response, rest.at(-1) as GivenHeaders)
    response.statusCode = status
    if (!this.#refused) this.#complete()
    const isChanged = !this.#refused && changesAnswer(this.#call) && isReadableJson(response)
    if (isChanged && this.#exchange.request.method !== 'HEAD') {
      this.#state = 'held'
      if (Number(response.getHeader('content-length') ?? 0) > HELD_MAX_BYTES) this.#refuse(answerTooLarge())
      return response
    }
    // How long the changed body would be is not known.
    if (isChanged) response.removeHeader('content-length')
    this.#state = 'passing'
    return this.#sendHead()
  }

  #complete(): void {
    this.#deps.note(this.#call, this.#exchange)
    addHeaders(this.#response, this.#call)
  }

  #onFlush(): void {
    if (this.#state === 'open') this.#onHead(this.#response.statusCode, [])
    if (this.#state === 'passing') this.#flushHeaders()
  }

  #onWrite(chunk: Chunk, rest: Rest): boolean {
    if (this.#state === 'open') this.#onHead(this.#response.statusCode, [])
    // What was refused is still being written by who does not know it.
    if (this.#response.writableEnded) return true
    if (this.#state === 'passing') return this.#write(chunk, ...rest)
    this.#hold(chunk, rest)
    return true
  }

  #onEnd(parts: Rest): ServerResponse {
    const response = this.#response
    if (this.#state === 'open') this.#onHead(response.statusCode, [])
    if (response.writableEnded) return response
    if (this.#state === 'passing') {
      this.#end(...parts)
      return response
    }
    const [chunk, ...rest] = parts
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.#hold(chunk, rest)
    if (this.#state === 'held') this.#finish(parts.filter((part) => typeof part === 'function'))
    return response
  }

  #hold(chunk: Chunk, [encoding]: Rest): void {
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, (encoding as BufferEncoding | undefined) ?? 'utf8')
        : chunk
    this.#size += bytes.length
    if (this.#size > HELD_MAX_BYTES) this.#refuse(answerTooLarge())
    else this.#held.push(Buffer.from(bytes))
  }

  #finish(callback: Rest): void {
    const response = this.#response
    let body: Buffer
    try {
      body = changeBody(Buffer.concat(this.#held), response, this.#call)
    } catch (error) {
      this.#refuse(error)
      return
    }
    this.#state = 'passing'
    response.removeHeader('content-encoding')
    response.removeHeader('transfer-encoding')
    response.setHeader('content-length', body.length)
    this.#sendHead()
    this.#end(body, ...callback)
  }

  /** In one list, like the head of a service: whoever else stands in front of the response judges it as such. */
  #sendHead(): ServerResponse {
    return this.#writeHead(this.#response.statusCode, giveHeaders(this.#response))
  }

  /** Nothing of the success has left yet, and nothing of it may stay. */
  #refuse(error: unknown): void {
    this.#refused = true
    this.#state = 'open'
    this.#held = []
    for (const name of ofTheSuccess) this.#response.removeHeader(name)
    this.#deps.refuse(this.#exchange, error)
    this.#exchange.onAbandoned?.abandon()
  }
}

/** Headers that would say something false beside an error. */
const ofTheSuccess = [
  'content-encoding',
  'content-length',
  'content-disposition',
  'transfer-encoding',
  'cache-control',
  'etag',
  'last-modified',
  'link',
  'location',
  'set-cookie',
]
