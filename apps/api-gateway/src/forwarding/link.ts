import { type ClientRequest, request as httpRequest } from 'node:http'
import type { Duplex } from 'node:stream'
import { headers as names } from '@platform/contracts'
import {
  FrameWriter,
  frameKinds,
  LINK_PATH,
  LINK_PROTOCOL,
  PIECE_BYTES,
  readFrames,
  requestText,
} from '@platform/http'
import { Failure, MINUTE_MS, SECOND_MS, ShortLivedMap } from '@platform/kernel'
import { type Dispatcher, errors } from 'undici'
import type { UpstreamHeaders } from './forwarded-headers.ts'

/** A request with its whole body. */
export interface LinkedRequest {
  readonly method: string
  readonly target: string
  /** Names and values, one after the other. */
  readonly headers: readonly string[]
  readonly body: Uint8Array | undefined
}

type Handler = Required<
  Pick<
    Dispatcher.DispatchHandler,
    'onRequestStart' | 'onResponseStart' | 'onResponseData' | 'onResponseEnd' | 'onResponseError'
  >
>

const CONNECT_MS = 1000
/** What a service answers while it is being built. */
const STARTING = 503
const CALL_MAX = 0xffff_ffff

/**
 * One connection to an instance that carries many requests at once (ADR 0089): what comes in one turn of the event loop
 * leaves in one write, and nothing is parsed twice. Without it requests go by HTTP, which is also what it is opened by.
 */
export class Link {
  readonly #origin: string
  readonly #internalKey: string
  /** The instance has said that it leaves. */
  readonly #onLeaving: () => void
  #open: OpenLink | undefined
  #asking: ClientRequest | undefined
  /** When it is worth asking again; Unix milliseconds. */
  #askAt = 0
  #isClosed = false

  constructor(origin: string, internalKey: string, onLeaving: () => void) {
    this.#origin = origin
    this.#internalKey = internalKey
    this.#onLeaving = onLeaving
  }

  /** Sends a request; false when there is no connection, which is then being opened, or when nobody reads from it. */
  dispatch(request: LinkedRequest, handler: Handler): boolean {
    const open = this.#open
    if (open?.takesRequests !== true) {
      this.#ask()
      return false
    }
    if (open.isCongested) return false
    open.send(request, handler)
    return true
  }

  /** Takes no further requests, and ends when those under way have been answered. */
  close(): void {
    this.#isClosed = true
    this.#asking?.destroy()
    this.#open?.finish()
  }

  /** Ends everything under way. */
  destroy(): void {
    this.close()
    this.#open?.cut()
  }

  #ask(): void {
    const now = Date.now()
    if (this.#isClosed || this.#asking !== undefined || now < this.#askAt) return
    this.#askAt = now + SECOND_MS
    const asking = httpRequest(new URL(LINK_PATH, this.#origin), {
      agent: false,
      headers: { connection: 'Upgrade', upgrade: LINK_PROTOCOL, [names.internalKey]: this.#internalKey },
    })
    this.#asking = asking
    const timer = setTimeout(() => asking.destroy(), CONNECT_MS)
    asking.once('upgrade', (_response, socket, head) => {
      clearTimeout(timer)
      this.#begin(socket, head)
    })
    asking.once('response', (response) => {
      // Where it does not just start: a version without links, or something between that takes no upgrades.
      if (response.statusCode !== STARTING) this.#askAt = now + MINUTE_MS
      response.destroy()
    })
    asking.on('error', () => undefined)
    asking.once('close', () => {
      clearTimeout(timer)
      this.#asking = undefined
    })
    asking.end()
  }

  #begin(socket: Duplex, head: Buffer): void {
    if (this.#isClosed) {
      socket.destroy()
      return
    }
    this.#open = new OpenLink(socket)
    this.#open.begin(head, this.#onLeaving)
  }
}

/** What a service has not read of a link at most: one that stands still must not fill the memory of the gateway. */
const UNREAD_MAX_BYTES = 8_000_000

/** The gateway's end of a link. */
class OpenLink {
  readonly #socket: Duplex
  readonly #writer: FrameWriter
  readonly #calls = new ShortLivedMap<number, LinkedCall>()
  #last = 0
  #isFinishing = false
  /** When something came last; Unix milliseconds. */
  #heardAt = 0

  constructor(socket: Duplex) {
    this.#socket = socket
    this.#writer = new FrameWriter(socket)
  }

  /** False when it is over, or ends with the requests that are under way. */
  get takesRequests(): boolean {
    return !this.#isFinishing && !this.#socket.destroyed
  }

  /** So much waits already that more would only wait longer. */
  get isCongested(): boolean {
    return this.#socket.writableLength > UNREAD_MAX_BYTES
  }

  begin(head: Buffer, onLeaving: () => void): void {
    const socket = this.#socket
    socket.on('data', () => {
      this.#heardAt = Date.now()
    })
    socket.once('end', () => socket.destroy())
    socket.once('close', () => {
      for (const call of [...this.#calls.values()]) call.fail(new errors.SocketError('other side closed'))
    })
    readFrames(socket, head, (kind, id, _text, bytes) => {
      if (kind !== frameKinds.goodbye) return this.#take(kind, id, bytes)
      onLeaving()
      this.finish()
    })
  }

  send({ method, target, headers, body }: LinkedRequest, handler: Handler): void {
    const text = requestText(method, target, headers)
    this.#last = this.#last === CALL_MAX ? 1 : this.#last + 1
    const id = this.#last
    const sentAt = Date.now()
    const call = new LinkedCall(id, handler, this.#writer, (reason) => {
      this.#calls.delete(id)
      // Nothing has come since it was sent, and it has had all its time: another connection may do better.
      if (isTimeOut(reason) && this.#heardAt < sentAt) this.#isFinishing = true
      if (this.#isFinishing) this.#endIfIdle()
    })
    if (text === undefined) {
      call.fail(new errors.InvalidArgumentError('invalid header'))
      return
    }
    this.#calls.set(id, call)
    handler.onRequestStart(call, {})
    if (!call.aborted) this.#writer.send(frameKinds.request, id, text, body)
  }

  /** Takes no further requests, and ends when the last response is there. */
  finish(): void {
    this.#isFinishing = true
    this.#endIfIdle()
  }

  cut(): void {
    this.#socket.destroy()
  }

  #endIfIdle(): void {
    if (this.#calls.size === 0) this.#writer.end()
  }

  #take(kind: number, id: number, bytes: Buffer): void {
    const call = this.#calls.get(id)
    try {
      if (kind === frameKinds.data) call?.receive(bytes)
      else if (kind === frameKinds.end) call?.end()
      else if (kind === frameKinds.broken) call?.fail(new errors.SocketError('other side closed'))
    } catch (error) {
      // A response that can't be passed on is nobody else's.
      call?.abort(error instanceof Error ? error : new Error(String(error)))
    }
  }
}

const isTimeOut = (reason: Error | null): boolean =>
  reason instanceof Failure && reason.name === 'GatewayTimeout'

/** Beyond this the service is told what was passed on, so that it sends more. */
const TELL_BYTES = 2 * PIECE_BYTES

/** One request over a link, and its response on its way back. */
class LinkedCall implements Dispatcher.DispatchController {
  aborted = false
  paused = false
  reason: Error | null = null
  readonly #id: number
  readonly #handler: Handler
  readonly #writer: FrameWriter
  readonly #over: (reason: Error | null) => void
  #hasBegun = false
  #isOver = false
  /** What came while nobody could take it. */
  #waiting: Buffer[] = []
  #hasEnded = false
  #untold = 0

  /** `over` is told why it was aborted, if it was. */
  constructor(id: number, handler: Handler, writer: FrameWriter, over: (reason: Error | null) => void) {
    this.#id = id
    this.#handler = handler
    this.#writer = writer
    this.#over = over
  }

  abort(reason: Error): void {
    if (this.#isOver) return
    this.#writer.send(frameKinds.abort, this.#id)
    this.aborted = true
    this.reason = reason
    this.fail(reason)
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
    while (!this.paused && this.#waiting.length > 0) this.#pass(this.#waiting.shift() as Buffer)
    if (!this.paused && this.#hasEnded) this.end()
  }

  receive(bytes: Buffer): void {
    if (this.#isOver) return
    if (!this.#hasBegun) this.#begin(bytes)
    else if (this.paused) this.#waiting.push(bytes)
    else this.#pass(bytes)
  }

  /** The response is whole. */
  end(): void {
    if (!this.#hasBegun) this.fail(new errors.SocketError('other side sent no response'))
    else if (this.paused) this.#hasEnded = true
    else this.#finish(() => this.#handler.onResponseEnd(this, {}))
  }

  fail(error: Error): void {
    this.#finish(() => this.#handler.onResponseError(this, error))
  }

  #finish(tell: () => void): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#waiting = []
    this.#over(this.reason)
    tell()
  }

  #begin(bytes: Buffer): void {
    const end = bytes.indexOf(END_OF_HEADERS)
    if (end < 0) {
      this.fail(new errors.SocketError('other side sent no response'))
      return
    }
    const [line = '', ...fields] = bytes.toString('latin1', 0, end).split('\r\n')
    const status = Number(line.slice(STATUS_AT, STATUS_AT + 3))
    const headBytes = end + END_OF_HEADERS.length
    this.#untold += headBytes
    // Only hints at what is to come (RFC 9110 15.2).
    this.#hasBegun = !(status < 200)
    if (this.#hasBegun) this.#handler.onResponseStart(this, status, headersOf(fields))
    if (headBytes < bytes.length) this.receive(bytes.subarray(headBytes))
  }

  #pass(bytes: Buffer): void {
    this.#handler.onResponseData(this, bytes)
    this.#tell(bytes.length)
  }

  #tell(bytes: number): void {
    this.#untold += bytes
    if (this.#untold < TELL_BYTES || this.#isOver) return
    this.#writer.send(frameKinds.taken, this.#id, String(this.#untold))
    this.#untold = 0
  }
}

const END_OF_HEADERS = '\r\n\r\n'
/** Behind `HTTP/1.1 `. */
const STATUS_AT = 9

/** As undici has them: names in lower case, a list where one is there several times. */
function headersOf(fields: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  for (const field of fields) {
    const colon = field.indexOf(':')
    const name = field.slice(0, colon).toLowerCase()
    const value = field.slice(colon + 1).trim()
    const before = headers[name]
    if (before === undefined) headers[name] = value
    else headers[name] = [...(Array.isArray(before) ? before : [before]), value]
  }
  return headers satisfies UpstreamHeaders
}
