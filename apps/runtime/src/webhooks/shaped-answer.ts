import { type RequestInfo, type RouteResponse, respond, toFailure } from '@platform/http'
import { isRecord } from '@platform/kernel'
import type { HttpAnswer } from '../automations/model.ts'
import { measure } from '../contexts/value-size.ts'
import { invalidInstruction } from '../instructions/instruction.ts'
import { type AnswerHeaders, sandboxed, withHeader } from './answer-headers.ts'
import { ChunkStream } from './chunk-stream.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Most characters of one chunk, as JSON. */
const MAX_CHUNK = 1_000_000

/** Oftener is no sign of life, but a burden. */
const LEAST_KEEP_ALIVE_MS = 5000
const MOST_KEEP_ALIVE_MS = 300_000

/** The answer of a URL trigger, as `set` of `$http` shapes it: its status and headers, or a stream of chunks. */
export class ShapedAnswer implements HttpAnswer {
  readonly handle = Object.freeze({})
  readonly #streaming = Promise.withResolvers<'streaming'>()
  readonly #isHead: boolean
  #begun: () => void = () => undefined
  readonly #request: Pick<RequestInfo, 'signal'>
  #chunks: ChunkStream | undefined
  #status: number | undefined
  #headers: AnswerHeaders = {}

  constructor(request: Pick<RequestInfo, 'method' | 'signal'>) {
    this.#isHead = request.method === 'HEAD'
    this.#request = request
  }

  /** What it is made of so far. */
  get head(): { readonly status: number; readonly headers: AnswerHeaders } {
    return { status: this.#status ?? 200, headers: this.#headers }
  }

  whenStreaming(begun: () => void): void {
    this.#begun = begun
  }

  assign(
    path: readonly (string | number)[],
    value: unknown,
    settle: () => Promise<void> | undefined,
  ): Promise<void> | undefined {
    const [field, name, ...deeper] = path.map(String)
    if (field === undefined) return this.#assignAll(value, settle)
    if (deeper.length > 0 || (name !== undefined && field !== 'headers')) throw unknownField(path.join('.'))
    if (field === 'headers') return this.#setHeaders(name === undefined ? value : { [name]: value })
    return this.#assignField(field, value, settle)
  }

  #assignAll(value: unknown, settle: () => Promise<void> | undefined): Promise<void> | undefined {
    if (!isRecord(value)) throw invalidInstruction('$http is set to an object with status, headers or chunk.')
    const { headers, status, ...others } = value
    if (headers !== undefined) this.#setHeaders(headers)
    if (status !== undefined) this.#setStatus(status)
    const sending = Object.entries(others).map(([field, one]) => this.#assignField(field, one, settle))
    return sending.find((one) => one !== undefined)
  }

  #assignField(
    field: string,
    value: unknown,
    settle: () => Promise<void> | undefined,
  ): Promise<void> | undefined {
    if (field === 'chunk') return this.#send(value, settle)
    if (field === 'status') this.#setStatus(value)
    else if (field === 'sseKeepAlive') this.#keepAlive(value)
    else throw unknownField(field)
    return undefined
  }

  #setStatus(value: unknown): void {
    if (value === undefined || value === null || this.#chunks !== undefined) return
    const status = Number(value)
    if (!Number.isInteger(status) || status < 200 || status > 599)
      throw invalidInstruction('$http.status must be a whole number from 200 to 599.')
    this.#status = status
  }

  /** Headers that are on their way can't be changed: what comes later is ignored. */
  #setHeaders(value: unknown): undefined {
    if (value === undefined || value === null || this.#chunks !== undefined) return
    if (!isRecord(value)) throw invalidInstruction('$http.headers must be an object of headers.')
    for (const [name, text] of Object.entries(value)) this.#headers = withHeader(this.#headers, name, text)
  }

  #keepAlive(value: unknown): void {
    const everyMs = Number(value)
    if (!(everyMs > 0)) throw invalidInstruction('$http.sseKeepAlive must be a number of milliseconds.')
    this.#begin().keepAlive(Math.min(Math.max(everyMs, LEAST_KEEP_ALIVE_MS), MOST_KEEP_ALIVE_MS))
  }

  #send(chunk: unknown, settle: () => Promise<void> | undefined): Promise<void> | undefined {
    if (chunk === undefined) return undefined
    if (measure(chunk, MAX_CHUNK).excess !== undefined)
      throw invalidInstruction(
        `A chunk of $http may have ${MAX_CHUNK} characters as JSON: send smaller ones.`,
      )
    const chunks = this.#begin()
    const json = JSON.stringify(chunk)
    const settling = settle()
    return settling === undefined ? chunks.send(json) : settling.then(() => chunks.send(json))
  }

  #begin(): ChunkStream {
    if (this.#chunks !== undefined) return this.#chunks
    // A response to HEAD has no body: what is sent to it goes nowhere.
    this.#chunks = new ChunkStream(this.#isHead ? AbortSignal.abort() : this.#request.signal)
    this.#begun()
    this.#streaming.resolve('streaming')
    return this.#chunks
  }

  /** The response to the request: once the run has ended, or with its first chunk; the run then ends the stream. */
  async respond(running: Promise<string>, kept: Readonly<Record<string, string>>): Promise<RouteResponse> {
    await Promise.race([running, this.#streaming.promise])
    const chunks = this.#chunks
    if (chunks === undefined) return this.#whole(await running, kept)
    void endWith(chunks, running)
    return respond('', {
      status: this.#status ?? 200,
      contentType: 'text/event-stream; charset=utf-8',
      headers: { ...this.#otherHeaders, ...kept, 'cache-control': 'no-cache', 'x-accel-buffering': 'no' },
      stream: (response) => chunks.attach(response),
    })
  }

  get #otherHeaders(): AnswerHeaders {
    const { 'content-type': _, ...others } = this.#headers
    return others
  }

  #whole(output: string, kept: Readonly<Record<string, string>>): RouteResponse {
    const contentType = this.#headers['content-type']?.toString() ?? JSON_TYPE
    const status = this.#status ?? 200
    const isEmpty = status === 204 || status === 205 || status === 304
    const headers = sandboxed(this.#otherHeaders, contentType)
    return respond(isEmpty ? '' : bodyOf(output, contentType), {
      status,
      contentType,
      headers: { 'cache-control': 'no-store', ...headers, ...kept },
    })
  }
}

/** The status is out: what went wrong afterwards is the last frame. */
async function endWith(chunks: ChunkStream, running: Promise<string>): Promise<void> {
  try {
    const output = await running
    await chunks.end(output === '{}' ? undefined : output)
  } catch (error) {
    await chunks.end(JSON.stringify(toFailure(error)))
  }
}

/** Where nobody waits for the answer any more, or nobody did: what it is made of is checked and dropped. */
export const unheardAnswer = (): ShapedAnswer =>
  new ShapedAnswer({ method: 'HEAD', signal: AbortSignal.abort() })

/** Of another type than JSON a text is sent as it is, and a file (`{ base64 }`) as its bytes. */
function bodyOf(output: string, contentType: string): string | Uint8Array {
  if (/^application\/([\w.-]+\+)?json\b/i.test(contentType)) return output
  const value: unknown = JSON.parse(output)
  if (typeof value === 'string') return value
  if (isRecord(value) && typeof value.base64 === 'string') return Buffer.from(value.base64, 'base64')
  return output === '{}' ? '' : output
}

const unknownField = (field: string) =>
  invalidInstruction(
    `"$http.${field.slice(0, 60)}" means nothing: set status, headers, chunk or sseKeepAlive of it.`,
  )
