import { EventEmitter } from 'node:events'
import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { isInternalKey } from '@platform/auth'
import { headers as names } from '@platform/contracts'
import { ShortLivedMap } from '@platform/kernel'
import { endWhole, wholeRequest } from '../whole-request.ts'
import {
  FrameWriter,
  frameKinds,
  LINK_PATH,
  LINK_PROTOCOL,
  PIECE_BYTES,
  readFrames,
  WINDOW_BYTES,
} from './frames.ts'
import { headersOf } from './request-headers.ts'

/** The links of one server. */
export interface ServedLinks {
  /** Asks for no further requests over them; they end when those under way are answered. */
  leave(): void
  /** Ends what is left. */
  cut(): void
}

type Accept = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

const accepting = new WeakMap<Server, Accept>()

/**
 * Lets who knows the internal key turn a connection to the server into a link (ADR 0089), over which many requests come
 * at once; `listener` gets each of them as if it had come by HTTP.
 */
export function acceptLinks(server: Server, internalApiKey: string, listener: RequestListener): ServedLinks {
  const key = Buffer.from(internalApiKey)
  const open = new Set<ServedLink>()
  let isLeaving = false
  accepting.set(server, (request, socket, head) => {
    if (isLeaving || key.length === 0 || !isInternalKey(request.headers[names.internalKey], key)) {
      socket.destroy()
      return
    }
    const link = new ServedLink(socket as Socket, listener)
    open.add(link)
    socket.once('close', () => open.delete(link))
    link.begin(head)
  })
  return {
    leave() {
      isLeaving = true
      for (const link of open) link.leave()
    },
    cut() {
      for (const link of open) link.cut()
    },
  }
}

/** True when it was a link that was asked for, and the server takes links. */
export function takeLink(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
  const accept = accepting.get(server)
  if (accept === undefined || request.url !== LINK_PATH || request.headers.upgrade !== LINK_PROTOCOL)
    return false
  accept(request, socket, head)
  return true
}

const SWITCHED = `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${LINK_PROTOCOL}\r\n\r\n`

/** The service's end of a link. */
class ServedLink {
  readonly #socket: Socket
  readonly #listener: RequestListener
  readonly #writer: FrameWriter
  readonly #calls = new ShortLivedMap<number, Call>()

  constructor(socket: Socket, listener: RequestListener) {
    this.#socket = socket
    this.#listener = listener
    this.#writer = new FrameWriter(socket)
  }

  begin(head: Buffer): void {
    const socket = this.#socket
    socket.setNoDelay(true)
    socket.setTimeout(0)
    socket.write(SWITCHED, 'latin1')
    // Who asks is gone, or has been told to ask elsewhere: what is under way is still answered.
    socket.on('end', () => this.#endIfIdle())
    socket.once('close', () => {
      for (const call of this.#calls.values()) call.abandon()
    })
    readFrames(socket, head, this.#take)
  }

  leave(): void {
    this.#writer.send(frameKinds.goodbye, 0)
  }

  cut(): void {
    this.#socket.destroy()
  }

  readonly #take = (kind: number, id: number, text: string, bytes: Buffer): void => {
    if (kind === frameKinds.request) this.#receive(id, text, bytes)
    else if (kind === frameKinds.abort) this.#calls.get(id)?.abandon()
    else if (kind === frameKinds.taken) this.#calls.get(id)?.socket.allow(Number(text))
  }

  #receive(id: number, text: string, bytes: Buffer): void {
    const call = new Call(id, this.#socket.remoteAddress, text, bytes, this.#writer, () => {
      this.#calls.delete(id)
      this.#endIfIdle()
    })
    this.#calls.set(id, call)
    try {
      this.#listener(call.request, call.response)
    } catch (error) {
      // A bug, for whoever watches over the process; it is not what has come over the link.
      process.nextTick(() => {
        throw error
      })
    }
  }

  #endIfIdle(): void {
    if (this.#socket.readableEnded && this.#calls.size === 0) this.#writer.end()
  }
}

/** One request that came over a link, and its response. */
class Call {
  readonly socket: CallSocket
  readonly request: IncomingMessage
  readonly response: ServerResponse

  constructor(
    id: number,
    remoteAddress: string | undefined,
    text: string,
    body: Buffer,
    writer: FrameWriter,
    over: () => void,
  ) {
    this.socket = new CallSocket(id, remoteAddress, writer)
    const [method = '', url = '', ...rawHeaders] = text.split('\n')
    // Node takes any stream for what lies below a message.
    const socket = this.socket as unknown as Socket
    const given = { ...VERSION, method, url, rawHeaders, headers: headersOf(rawHeaders) }
    // A copy: else a body of a few bytes would keep all that was read with it.
    this.request = wholeRequest(socket, given, Buffer.from(body))
    this.response = responseTo(this.request, socket, this.socket)
    this.socket.once('close', () => {
      endWhole(this.request)
      over()
    })
  }

  /** Who asked does not wait any more. */
  abandon(): void {
    this.socket.isAbandoned = true
    this.socket.destroy()
  }
}

const VERSION = { httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 }

function responseTo(request: IncomingMessage, socket: Socket, callSocket: CallSocket): ServerResponse {
  const response = new ServerResponse(request)
  // Its end is a frame of its own, and the connection below is none of its business.
  response.removeHeader('transfer-encoding')
  response.removeHeader('connection')
  response.assignSocket(socket)
  response.once('finish', () => callSocket.complete())
  callSocket.on('drain', () => response.emit('drain'))
  return response
}

/** Bytes of a response that were not sent yet, and whom to tell when they are. */
interface Written {
  readonly bytes: Uint8Array
  readonly sent: (() => void) | null
}

/**
 * What a response is written to: as much of it is sent as its client takes. What Node asks of the stream below a
 * response, and no more: one is made for each request.
 */
class CallSocket extends EventEmitter {
  readonly remoteAddress: string | undefined
  readonly encrypted = false
  readonly bytesRead = 0
  readonly writableHighWaterMark = PIECE_BYTES
  /** Node says here that a response holds nothing back any more. */
  readonly _writableState = { corked: 0 }
  bytesWritten = 0
  writableLength = 0
  writable = true
  destroyed = false
  /** True when nobody waits for the rest. */
  isAbandoned = false
  readonly #id: number
  readonly #writer: FrameWriter
  #allowed = WINDOW_BYTES
  #isComplete = false
  #needsDrain = false
  #waiting: Written[] = []

  constructor(id: number, remoteAddress: string | undefined, writer: FrameWriter) {
    super()
    this.#id = id
    this.#writer = writer
    this.remoteAddress = remoteAddress
  }

  get writableCorked(): number {
    return this._writableState.corked
  }

  cork(): void {
    this._writableState.corked += 1
  }

  uncork(): void {
    const state = this._writableState
    state.corked = Math.max(0, state.corked - 1)
    if (state.corked === 0) this.#send()
  }

  /** False when no more should be written before `drain`. */
  write(chunk: string | Uint8Array, encoding?: BufferEncoding | null, sent?: (() => void) | null): boolean {
    if (this.destroyed) return false
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding ?? 'utf8') : chunk
    this.bytesWritten += bytes.length
    this.writableLength += bytes.length
    this.#waiting.push({ bytes, sent: sent ?? null })
    if (this._writableState.corked === 0) this.#send()
    this.#needsDrain = this.writableLength >= PIECE_BYTES
    return !this.#needsDrain
  }

  /** The response is whole. */
  complete(): void {
    this.#isComplete = true
    this.#writer.send(frameKinds.end, this.#id)
    this.destroy()
  }

  /** Of what was sent so much was passed on. */
  allow(bytes: number): void {
    this.#allowed += bytes
    this.#send()
  }

  setTimeout(): this {
    return this
  }

  /** What an error says is nothing to the other end. */
  destroy(): this {
    if (this.destroyed) return this
    this.destroyed = true
    this.writable = false
    this.#waiting = []
    this.#needsDrain = false
    if (!this.#isComplete && !this.isAbandoned) this.#writer.send(frameKinds.broken, this.#id)
    process.nextTick(emitClose, this)
    return this
  }

  #send(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const rest = this.#sendAllowed(first.bytes)
      this.writableLength -= first.bytes.length - rest.length
      if (rest.length > 0) {
        this.#waiting[0] = { ...first, bytes: rest }
        return
      }
      this.#waiting.shift()
      if (first.sent !== null) process.nextTick(first.sent)
    }
    if (!this.#needsDrain) return
    this.#needsDrain = false
    process.nextTick(emitDrain, this)
  }

  /** Answers what may not be sent yet. */
  #sendAllowed(bytes: Uint8Array): Uint8Array {
    let at = 0
    while (at < bytes.length && this.#allowed > 0) {
      const piece = bytes.subarray(at, at + Math.min(PIECE_BYTES, this.#allowed))
      this.#writer.send(frameKinds.data, this.#id, '', piece)
      this.#allowed -= piece.length
      at += piece.length
    }
    return at === 0 ? bytes : bytes.subarray(at)
  }
}

const emitClose = (socket: CallSocket): void => void socket.emit('close')
const emitDrain = (socket: CallSocket): void => void socket.emit('drain')
