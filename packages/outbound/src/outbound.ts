import type { Dispatcher } from 'undici'
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

/** What one call may say of itself. */
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
  /** As the global `fetch`, guarded. Rejects with OutboundRefused for what may not be called. */
  fetch(input: string | URL | Request, init?: OutboundInit): Promise<Response>
  /**
   * Why a call of this address would be refused, as far as that is known without calling; a sentence as
   * OutboundRefused has it.
   */
  expectedRefusal(url: URL): Promise<string | undefined>
  /** The same guard for libraries that take an undici dispatcher. */
  readonly dispatcher: Dispatcher
}

/** An address that must not be called; the message names the host and the remedy, never what was found behind it. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused'
}

/** Throws OutboundRefused for an address that is never called, wherever its name leads. */
export function requireCallable(url: URL): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new OutboundRefused(`Addresses that begin with ${url.protocol} are not called: use https:.`)
  if (url.username !== '' || url.password !== '')
    throw new OutboundRefused(
      `The address at ${url.host} holds a user name or password: send credentials in a header instead.`,
    )
}
