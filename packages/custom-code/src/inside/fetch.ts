import type { AbortSignal } from './abort.ts'
import { bytesOf, bytesOfText, textOfBytes, wait } from './border.ts'
import { TextDecoder } from './text-coding.ts'

type Entries = [name: string, value: string][]
type HeadersInit = Headers | Entries | Record<string, string> | undefined

/** Headers by their names in small letters. */
export class Headers {
  readonly #values = new Map<string, string>()

  constructor(given?: HeadersInit) {
    if (given === undefined || given === null) return
    const entries = given instanceof Headers || Array.isArray(given) ? [...given] : Object.entries(given)
    for (const [name, value] of entries) this.append(name, value)
  }

  append(name: string, value: string): void {
    const before = this.get(name)
    this.set(name, before === null ? value : `${before}, ${value}`)
  }

  delete(name: string): void {
    this.#values.delete(String(name).toLowerCase())
  }

  get(name: string): string | null {
    return this.#values.get(String(name).toLowerCase()) ?? null
  }

  has(name: string): boolean {
    return this.#values.has(String(name).toLowerCase())
  }

  set(name: string, value: string): void {
    this.#values.set(String(name).toLowerCase(), String(value))
  }

  forEach(each: (value: string, name: string) => void): void {
    for (const [name, value] of this) each(value, name)
  }

  entries(): IterableIterator<[string, string]> {
    return new Map([...this.#values].sort(([a], [b]) => (a < b ? -1 : 1))).entries()
  }

  keys(): IterableIterator<string> {
    return new Map(this.entries()).keys()
  }

  values(): IterableIterator<string> {
    return new Map(this.entries()).values()
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries()
  }
}

interface Received {
  readonly status: number
  readonly statusText: string
  readonly headers: Entries
  readonly url: string
  readonly redirected: boolean
}

/** An answer whose body is there. */
class Response {
  readonly status: number
  readonly statusText: string
  readonly headers: Headers
  readonly url: string
  readonly redirected: boolean
  readonly ok: boolean
  bodyUsed = false
  readonly #body: string

  constructor(received: Received, body: string) {
    this.status = received.status
    this.statusText = received.statusText
    this.headers = new Headers(received.headers)
    this.url = received.url
    this.redirected = received.redirected
    this.ok = this.status >= 200 && this.status < 300
    this.#body = body
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    if (this.bodyUsed) throw new TypeError('The body was read already: read it once and keep it.')
    this.bodyUsed = true
    return bytesOfText(this.#body)
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes())
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }
}

interface FetchInit {
  readonly method?: string
  readonly headers?: HeadersInit
  readonly body?: unknown
  readonly redirect?: string
  readonly signal?: AbortSignal | null
}

/** `fetch` with texts and bytes, through the guarded one of the platform. */
export async function fetch(address: unknown, init: FetchInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  const body = bodyOf(init.body, headers)
  const method = String(init.method ?? 'GET').toUpperCase()
  const request = { url: String(address), method, headers: [...headers], redirect: init.redirect ?? 'follow' }
  const answer = await unlessAborted(init.signal, () => wait('fetch', JSON.stringify(request), body))
  const end = answer.indexOf('\n')
  const received = JSON.parse(answer.slice(0, end)) as Received | { error: string }
  if ('error' in received) throw new TypeError(received.error)
  return new Response(received, answer.slice(end + 1))
}

/** Whoever aborts waits no longer; what has left is not called back. */
function unlessAborted<T>(signal: AbortSignal | null | undefined, begin: () => Promise<T>): Promise<T> {
  if (signal === undefined || signal === null) return begin()
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    begin().then(resolve, reject)
  })
}

/** The body as bytes in a text; says what it is where the headers do not. */
function bodyOf(body: unknown, headers: Headers): string {
  if (body === undefined || body === null) return ''
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return textOfBytes(bytesOf(body))
  const isForm = typeof body !== 'string' && body instanceof globalThis.URLSearchParams
  if (typeof body !== 'string' && !isForm)
    throw new TypeError('fetch takes a body of text or bytes: write objects with JSON.stringify.')
  if (!headers.has('content-type'))
    headers.set(
      'content-type',
      isForm ? 'application/x-www-form-urlencoded;charset=UTF-8' : 'text/plain;charset=UTF-8',
    )
  return textOfBytes(new globalThis.TextEncoder().encode(String(body)))
}
