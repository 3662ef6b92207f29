import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

type Chunk = string | Uint8Array
type Rest = unknown[]
type WriteHead = (status: number, ...rest: Rest) => ServerResponse

/** What is changed in a response before it leaves. */
export interface ResponseChange {
  /** More of a body than this is not gathered. */
  readonly maxBytes: number
  /** Completes the headers, which are all set on the response. True when the body is to be changed. */
  head(response: ServerResponse): boolean
  /** The body that is sent for the one that was gathered. What it throws is given to `refuse`. */
  body(bytes: Buffer, response: ServerResponse): Buffer
  /** The error for a body that is longer than `maxBytes`. */
  tooLarge(): Error
  /** Sends an error in place of the response, of which nothing has left. */
  refuse(error: unknown): void
}

/**
 * Stands in front of the methods that write a response, whether a service, a route or an error is written. Made once,
 * and only for a request that needs it: headers are added for pages of other origins, head and body are changed for
 * other versions of the API.
 */
export class ResponseWrapper {
  readonly #response: ServerResponse
  readonly #writeHead: WriteHead
  readonly #write: (...parts: Rest) => boolean
  readonly #end: (...parts: Rest) => unknown
  readonly #flushHeaders: () => void
  #added: readonly string[] = []
  #change: ResponseChange | undefined
  /** `open`: no head yet; `gathering`: the body is gathered; `passing`: all goes through. */
  #state: 'open' | 'gathering' | 'passing' = 'open'
  #gathered: Buffer[] = []
  #size = 0
  #refused = false

  constructor(response: ServerResponse) {
    this.#response = response
    this.#writeHead = response.writeHead.bind(response) as WriteHead
    this.#write = response.write.bind(response) as (...parts: Rest) => boolean
    this.#end = response.end.bind(response) as (...parts: Rest) => unknown
    this.#flushHeaders = response.flushHeaders.bind(response)
    const writeHead = (status: number, ...rest: Rest) => this.#onHead(status, rest)
    response.writeHead = writeHead
  }

  /**
   * Adds names and values, in turn, when the head is written. What a service says of CORS gives way where there is more
   * than Vary among them; its Vary names one more.
   */
  add(added: readonly string[]): void {
    this.#added = added
  }

  /**
   * Lets `change` have the response: headers are completed as the head is written; a body that is to be changed is
   * gathered until it is whole, everything else passes as it comes.
   */
  change(change: ResponseChange): void {
    this.#change = change
    const response = this.#response
    Object.defineProperty(response, 'headersSent', {
      configurable: true,
      // To the writer a head that waits for its body has left: another one can't follow.
      get: () =>
        this.#state === 'gathering' || Reflect.get(Object.getPrototypeOf(response), 'headersSent', response),
    })
    Object.assign(response, {
      write: (chunk: Chunk, ...rest: Rest) => this.#onWrite(chunk, rest),
      end: (...parts: Rest) => this.#onEnd(parts),
      flushHeaders: () => this.#onFlush(),
    })
  }

  #onHead(status: number, rest: Rest): ServerResponse {
    const change = this.#change
    const response = this.#response
    if (this.#state === 'gathering') return response
    if (change === undefined || this.#state === 'passing') return this.#sendHead(status, rest)
    takeHeaders(response, rest.at(-1) as GivenHeaders)
    response.statusCode = status
    const isChanged = !this.#refused && change.head(response)
    if (isChanged && response.req.method !== 'HEAD') {
      this.#state = 'gathering'
      if (Number(response.getHeader('content-length') ?? 0) > change.maxBytes) this.#refuse(change.tooLarge())
      return response
    }
    // How long the changed body would be is not known.
    if (isChanged) response.removeHeader('content-length')
    this.#state = 'passing'
    return this.#sendHead(status, [giveHeaders(response)])
  }

  #sendHead(status: number, rest: Rest): ServerResponse {
    const added = this.#added
    const given = rest.at(-1)
    if (added.length === 0) return this.#writeHead(status, ...rest)
    if (Array.isArray(given)) return this.#writeHead(status, joined(given, added))
    for (let index = 0; index < added.length; index += 2) {
      const name = added[index] ?? ''
      const value = added[index + 1] ?? ''
      if (name === 'vary') this.#response.appendHeader(name, value)
      else this.#response.setHeader(name, value)
    }
    return this.#writeHead(status, ...rest)
  }

  #onFlush(): void {
    if (this.#state === 'open') this.#onHead(this.#response.statusCode, [])
    if (this.#state === 'passing') this.#flushHeaders()
  }

  #onWrite(chunk: Chunk, rest: Rest): boolean {
    if (this.#state === 'open') this.#onHead(this.#response.statusCode, [])
    // The writer does not know that its response was refused.
    if (this.#response.writableEnded) return true
    if (this.#state === 'passing') return this.#write(chunk, ...rest)
    this.#gather(chunk, rest)
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
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.#gather(chunk, rest)
    if (this.#state === 'gathering') this.#finish(parts.filter((part) => typeof part === 'function'))
    return response
  }

  #gather(chunk: Chunk, [encoding]: Rest): void {
    const change = this.#change
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, (encoding as BufferEncoding | undefined) ?? 'utf8')
        : chunk
    this.#size += bytes.length
    if (change !== undefined && this.#size > change.maxBytes) this.#refuse(change.tooLarge())
    else this.#gathered.push(Buffer.from(bytes))
  }

  #finish(callback: Rest): void {
    const response = this.#response
    let body: Buffer
    try {
      const gathered = Buffer.concat(this.#gathered)
      body = this.#change?.body(gathered, response) ?? gathered
    } catch (error) {
      this.#refuse(error)
      return
    }
    this.#state = 'passing'
    response.removeHeader('content-encoding')
    response.removeHeader('transfer-encoding')
    response.setHeader('content-length', body.length)
    this.#sendHead(response.statusCode, [giveHeaders(response)])
    this.#end(body, ...callback)
  }

  /** Nothing of the success has left yet, and nothing of it may stay. */
  #refuse(error: unknown): void {
    this.#refused = true
    this.#state = 'open'
    this.#gathered = []
    for (const name of ofTheSuccess) this.#response.removeHeader(name)
    this.#change?.refuse(error)
  }
}

/** Headers that would be false beside an error. */
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

/** A list of names and values with others behind; of CORS only what is added counts. */
function joined(list: readonly string[], added: readonly string[]): string[] {
  const kept: string[] = []
  const replaces = added.length > 2
  for (let index = 0; index < list.length; index += 2) {
    const name = list[index] ?? ''
    if (replaces && /^access-control-(allow|expose)-/i.test(name)) continue
    kept.push(name, list[index + 1] ?? '')
  }
  return [...kept, ...added]
}

/** Headers as `writeHead` takes them: names and values in turn, or an object; or nothing, or a reason phrase. */
type GivenHeaders = readonly string[] | OutgoingHttpHeaders | string | undefined

/** Sets headers given with the head on the response itself, where they can be read and changed. */
function takeHeaders(response: ServerResponse, given: GivenHeaders): void {
  const pairs = pairsOf(given)
  for (const [name] of pairs) if (!isVary(name)) response.removeHeader(name)
  for (const [name, value] of pairs) response.appendHeader(name, value)
}

/** Takes all headers off the response, as names and values in turn. */
function giveHeaders(response: ServerResponse): string[] {
  const list: string[] = []
  for (const name of response.getHeaderNames()) {
    for (const value of [response.getHeader(name) ?? []].flat()) list.push(name, String(value))
    response.removeHeader(name)
  }
  return list
}

const isVary = (name: string) => name.toLowerCase() === 'vary'

type Pair = readonly [name: string, value: string | readonly string[]]

function pairsOf(given: GivenHeaders): Pair[] {
  if (given === undefined || typeof given === 'string') return []
  if (isList(given))
    return given.flatMap((name, index) => (index % 2 === 0 ? [[name, given[index + 1] ?? ''] as const] : []))
  return Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value : String(value)] as const],
  )
}

const isList = (given: GivenHeaders): given is readonly string[] => Array.isArray(given)
