import { StoreError } from '@platform/kernel'
import { type Outbound, OutboundRefused } from '@platform/outbound'
import { itemsOf, type ReadWhileItComes } from './event-stream-items.ts'
import type { FetchAnswer, FetchFailure } from './fetch-answer.ts'
import type { FetchRequest } from './fetch-request.ts'
import { LiveStream } from './live-stream.ts'
import { type OauthTokens, TokenRefused } from './oauth-tokens.ts'
import { IdentityRefused } from './own-api.ts'
import { type SignedRequest, signedRequest } from './signed-request.ts'
import type { StreamItems } from './text-items.ts'

/** How one attempt ended. */
export type Attempted = FetchAnswer | (FetchFailure & { readonly code?: string })

interface Streams {
  readonly what: ReadWhileItComes
  /** Undefined where there is no place for one more; else gives the place back. */
  readonly takePlace: () => (() => void) | undefined
}

/** Through what an attempt goes, and for whom. */
export interface Sender {
  readonly outbound: Pick<Outbound, 'fetch'>
  readonly tokens: OauthTokens
  readonly workspaceId: string
  /** Which answers are read while they come; without it none is. */
  readonly streams?: Streams | undefined
  /** Of a call of our own API: says whose run it comes from. */
  readonly introduce?: ((request: SignedRequest) => Promise<SignedRequest>) | undefined
}

/**
 * Sends a request once. Rejects with the reason of `signal` when that aborts before the answer is there, and where our
 * own store is away.
 */
export async function attempt(
  sender: Sender,
  request: FetchRequest,
  given: Headers,
  signal: AbortSignal,
): Promise<Attempted> {
  const { tokens, workspaceId, outbound, introduce = async (one) => one } = sender
  const deadline = new Deadline(request.timeoutMs, signal)
  try {
    const { url, headers, body } = await introduce(await signedRequest(request, given, sender))
    const response = await outbound.fetch(url, {
      method: request.method,
      headers,
      signal: deadline.signal,
      ...(body === undefined ? {} : { body }),
      ...(request.maxRedirects === 0 ? { redirect: 'manual' } : { maxRedirects: request.maxRedirects }),
    })
    if (response.status === 401 && request.auth?.kind === 'oauth2') tokens.forget(workspaceId, request.auth)
    const head = { status: response.status, headers: headersOf(response) }
    const items = sender.streams && itemsIn(response, sender.streams.what)
    if (items === undefined) return { ...head, bytes: await bytesOf(response) }
    return liveAnswer(head, response, { request, items, leave: sender.streams?.takePlace() })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof StoreError) throw error
    return failureOf(error, request, deadline.isOver)
  } finally {
    deadline.clear()
  }
}

/** Ends an attempt when it is late, or when nobody wants it any more; not what is read behind it. */
class Deadline {
  readonly #controller = new AbortController()
  readonly #abort: () => void
  readonly #given: AbortSignal
  readonly #timer: NodeJS.Timeout
  isOver = false

  constructor(ms: number, given: AbortSignal) {
    this.#given = given
    this.#abort = () => this.#controller.abort(given.reason)
    if (given.aborted) this.#abort()
    given.addEventListener('abort', this.#abort, { once: true })
    this.#timer = setTimeout(() => {
      this.isOver = true
      this.#controller.abort()
    }, Math.ceil(ms))
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#given.removeEventListener('abort', this.#abort)
  }
}

/** A failure is read whole, to be shown. */
const itemsIn = ({ ok, body, headers }: Response, what: ReadWhileItComes): StreamItems | undefined =>
  ok && body !== null ? itemsOf(headers.get('content-type') ?? '', what) : undefined

function liveAnswer(
  head: Pick<FetchAnswer, 'status' | 'headers'>,
  { body }: Response,
  parts: { request: FetchRequest; items: StreamItems; leave: (() => void) | undefined },
): Attempted {
  const { request, items, leave } = parts
  const { host } = request.url
  if (body !== null && leave !== undefined)
    return {
      ...head,
      bytes: Buffer.alloc(0),
      live: new LiveStream(body, { host, items, silenceMs: request.timeoutMs, onClose: leave }),
    }
  body?.cancel().catch(() => undefined)
  return named(
    'TooManyStreams',
    'As many streams as FETCH_STREAMS allows are read at once: end others, or try again shortly.',
  )
}

/** Read piece by piece, so that the guard counts the bytes while they come. */
async function bytesOf(response: Response): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of response.body ?? []) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Each cookie by itself: a comma may be part of one. */
function headersOf({ headers }: Response): Record<string, string | string[]> {
  const cookies = headers.getSetCookie()
  return { ...Object.fromEntries(headers), ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }) }
}

function failureOf(error: unknown, { url, timeoutMs }: FetchRequest, isLate: boolean): Attempted {
  if (isLate) return named('TimeoutError', `${url.host} did not answer in full within ${timeoutMs / 1000} s.`)
  if (error instanceof TokenRefused || error instanceof IdentityRefused)
    return named(error.name, error.message)
  const refusal = [error, causeOf(error)].find((one) => one instanceof OutboundRefused)
  if (refusal !== undefined) return named('OutboundRefused', refusal.message)
  if (isBadPort(error)) return named('OutboundRefused', `Port ${url.port} is one that no HTTP server has.`)
  const code = codeOf(error)
  return {
    ...named('NetworkError', `${url.host} could not be reached${code === '' ? '' : ` (${code})`}.`),
    code,
  }
}

const named = (name: string, message: string): FetchFailure => ({ error: { name, message } })

/** Ports of mail and the like, which fetch never calls: its standard has a list of them. */
const isBadPort = (error: unknown): boolean => {
  const cause = causeOf(error)
  return cause instanceof Error && cause.message === 'bad port'
}

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined)

/** What went wrong below is the cause of what fetch throws, and where several addresses were tried in a list of it. */
function codeOf(error: unknown): string {
  for (let one = error; typeof one === 'object' && one !== null; one = causeOf(one)) {
    if ('code' in one && typeof one.code === 'string') return one.code
    if (one instanceof AggregateError && one.errors.length > 0) return codeOf(one.errors[0])
  }
  return ''
}
