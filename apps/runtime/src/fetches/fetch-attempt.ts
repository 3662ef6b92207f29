import { StoreError } from '@platform/kernel'
import { isTimeout, type Outbound, type OutboundAnswer, OutboundRefused } from '@platform/outbound'
import { itemsOf, type ReadWhileItComes } from './event-stream-items.ts'
import type { FetchAnswer, FetchFailure } from './fetch-answer.ts'
import type { FetchRequest } from './fetch-request.ts'
import { LiveStream } from './live-stream.ts'
import { TokenRefused } from './oauth-tokens.ts'
import { IdentityRefused } from './own-api.ts'
import { type SignedRequest, type Signer, signedRequest } from './signed-request.ts'
import type { StreamItems } from './text-items.ts'

/** How one attempt ended. */
export type Attempted = FetchAnswer | (FetchFailure & { readonly code?: string })

interface Streams {
  readonly what: ReadWhileItComes
  /** Undefined where there is no place for one more; else gives the place back. */
  readonly takePlace: () => (() => void) | undefined
}

/** Through what an attempt goes, and for whom. */
export interface Sender extends Signer {
  readonly outbound: Pick<Outbound, 'request'>
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
  const { method, timeoutMs, maxRedirects, auth } = request
  try {
    const { url, headers, body } = await introduce(await signedRequest(request, given, sender))
    const answer = await outbound.request({
      url,
      method,
      headers: Object.fromEntries(headers),
      body,
      signal,
      timeoutMs,
      redirects: maxRedirects === 0 ? 'answer' : maxRedirects,
    })
    const { status } = answer
    if (status === 401 && auth?.kind === 'oauth2') tokens.forget(workspaceId, auth)
    const items = sender.streams && itemsIn(answer, sender.streams.what)
    if (items === undefined) return { status, headers: answer.headers, bytes: await answer.bytes() }
    return liveAnswer(answer, { request, items, leave: sender.streams?.takePlace() })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof StoreError) throw error
    return failureOf(error, request)
  }
}

/** A failure is read whole, to be shown. */
function itemsIn(answer: OutboundAnswer, what: ReadWhileItComes): StreamItems | undefined {
  if (!answer.isOk || answer.isBodiless) return undefined
  return itemsOf(String(answer.headers['content-type'] ?? ''), what)
}

function liveAnswer(
  answer: OutboundAnswer,
  parts: { request: FetchRequest; items: StreamItems; leave: (() => void) | undefined },
): Attempted {
  const { request, items, leave } = parts
  const { host } = request.url
  const { status, headers } = answer
  if (leave !== undefined) {
    const onClose = () => {
      answer.discard()
      leave()
    }
    const live = new LiveStream({
      pieces: answer.pieces(),
      host,
      items,
      silenceMs: request.timeoutMs,
      onClose,
    })
    return { status, headers, bytes: Buffer.alloc(0), live }
  }
  answer.discard()
  return named(
    'TooManyStreams',
    'As many streams as FETCH_STREAMS allows are read at once: end others, or try again shortly.',
  )
}

function failureOf(error: unknown, { url, timeoutMs }: FetchRequest): Attempted {
  if (isTimeout(error))
    return named('TimeoutError', `${url.host} did not answer in full within ${timeoutMs / 1000} s.`)
  if (error instanceof TokenRefused || error instanceof IdentityRefused)
    return named(error.name, error.message)
  if (error instanceof OutboundRefused) return named('OutboundRefused', error.message)
  const code = codeOf(error)
  return {
    ...named('NetworkError', `${url.host} could not be reached${code === '' ? '' : ` (${code})`}.`),
    code,
  }
}

const named = (name: string, message: string): FetchFailure => ({ error: { name, message } })

const causeOf = (error: unknown): unknown => (error instanceof Error ? error.cause : undefined)

/** What went wrong below is the cause of what fetch throws, and where several addresses were tried in a list of it. */
function codeOf(error: unknown): string {
  for (let one = error; typeof one === 'object' && one !== null; one = causeOf(one)) {
    if ('code' in one && typeof one.code === 'string') return one.code
    if (one instanceof AggregateError && one.errors.length > 0) return codeOf(one.errors[0])
  }
  return ''
}
