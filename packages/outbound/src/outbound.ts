import type { Dispatcher } from 'undici'
import type { OutboundAnswer } from './outbound-answer.ts'
import type { Proxies } from './proxies.ts'

/** How calls to addresses that somebody typed in are guarded against reaching the inside. */
export interface OutboundPolicy {
  /** Hosts or CIDR ranges an operator allows although they are private: `10.0.0.0/8`, `idp.internal`. */
  allowed: readonly string[]
  /** The variable that holds `allowed`, for the sentences of refusals; OUTBOUND_ALLOWED unless stated. */
  allowedBy?: string
  /** Hosts, with those below them, or CIDR ranges an operator forbids although they are public or allowed. */
  forbidden?: readonly string[]
  /** Asks the name servers itself, for callers whose names are chosen by many: one that is silent holds up no other. */
  resolvesItself?: boolean
  connectTimeoutMs?: number
  /** Until the whole response is there. */
  timeoutMs?: number
  /** Bytes a response may have. */
  maxResponseBytes?: number
  maxRedirects?: number
  /** Connections to one scheme, host and port at once; 16 unless stated. */
  connectionsPerOrigin?: number
  /** Schemes, hosts and ports that may have connections at once; 1,000 unless stated. */
  origins?: number
  /** One origin that is called wherever it is, looked up as the system does; redirects elsewhere are checked as any. */
  ownOrigin?: string
  /** Speaks HTTP/2 where the other side offers it. */
  allowsHttp2?: boolean
  /** Proxies that calls go through, where an operator has some. */
  proxies?: Proxies | undefined
  /** Takes certificates that nobody vouches for; which addresses may be called stays the same. */
  acceptsAnyCertificate?: boolean
}

/** One call. */
export interface OutboundRequest {
  readonly url: URL
  /** In capitals. */
  readonly method: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
  /** Aborts when nobody wants the answer any more, until it was read. */
  readonly signal?: AbortSignal | undefined
  /** Until the answer is there: all of it, or where it is read while it comes, its beginning. As the policy says. */
  readonly timeoutMs?: number | undefined
  /** How many are followed; `answer` takes the first one for the answer. As the policy says. */
  readonly redirects?: number | 'answer' | undefined
}

/** What one call in the shape of `fetch` may say of itself. */
export interface OutboundInit extends RequestInit {
  /** Redirects it follows, where that is another number than the policy has. */
  maxRedirects?: number
}

/**
 * Calls to the world outside. Each connection is checked at the address it really goes to, after the name was
 * resolved: private, loopback, link-local and metadata addresses are refused unless allowed; redirects are followed
 * only as far as they pass the same check, never from https to http, and without credentials or headers of
 * one's own to another origin.
 */
export interface Outbound extends AsyncDisposable {
  /**
   * Rejects with OutboundRefused for what may not be called, with a TimeoutError when its time is over, with the reason
   * of its signal, or with what went wrong on the way, which has a `code`.
   */
  request(request: OutboundRequest): Promise<OutboundAnswer>
  /** The same as the global `fetch` has it; what went wrong on the way is the cause of a TypeError. */
  fetch(input: string | URL | Request, init?: OutboundInit): Promise<Response>
  /**
   * Why a call of this address would be refused, as far as that is known without calling; a sentence as
   * OutboundRefused has it.
   */
  expectedRefusal(url: URL): Promise<string | undefined>
  /** The same guard for libraries that take an undici dispatcher. */
  readonly dispatcher: Dispatcher
}
