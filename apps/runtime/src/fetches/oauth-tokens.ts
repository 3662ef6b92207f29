import { createHash } from 'node:crypto'
import { atMost } from '@platform/kernel'
import type { Outbound } from '@platform/outbound'
import { LRUCache } from 'lru-cache'
import type { ClientCredentials } from './request-auth.ts'

/** A token server that does not name a time gives its tokens for this long. */
const UNSTATED_SECONDS = 300
/** A token is not used in its last seconds: it has to arrive. */
const MARGIN_SECONDS = 30
const LONGEST_SECONDS = 86_400
const MAX_TOKENS = 5000
const TOKEN_MS = 10_000
const MAX_TOKEN_LENGTH = 20_000

/** Why there is no token; a sentence for the author. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
}

interface Kept {
  readonly token: Promise<string>
}

/**
 * Access tokens of client credentials, kept for as long as they count, for each workspace by itself: one question at a
 * time for each, however many requests wait for its answer.
 */
export class OauthTokens {
  readonly #outbound: Pick<Outbound, 'fetch'>
  readonly #kept = new LRUCache<string, Kept>(atMost(MAX_TOKENS))

  constructor(outbound: Pick<Outbound, 'fetch'>) {
    this.#outbound = outbound
  }

  /** Rejects with TokenRefused, or as the guard of calls to the outside does. */
  tokenOf(workspaceId: string, client: ClientCredentials): Promise<string> {
    const key = keyOf(workspaceId, client)
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept.token
    const asked = this.#ask(client)
    const entry: Kept = { token: asked.then(({ token }) => token) }
    this.#kept.set(key, entry, { ttl: TOKEN_MS })
    asked.then(
      ({ seconds }) => {
        const keptSeconds = Math.min(seconds, LONGEST_SECONDS) - MARGIN_SECONDS
        if (keptSeconds > 0) this.#kept.set(key, entry, { ttl: keptSeconds * 1000 })
        else this.#kept.delete(key)
      },
      () => this.#kept.delete(key),
    )
    return entry.token
  }

  /** The other side does not take the token any more. */
  forget(workspaceId: string, client: ClientCredentials): void {
    this.#kept.delete(keyOf(workspaceId, client))
  }

  async #ask(client: ClientCredentials): Promise<{ token: string; seconds: number }> {
    const { host } = urlOf(client.tokenUrl)
    const response = await this.#outbound.fetch(client.tokenUrl, {
      method: 'POST',
      ...question(client),
      signal: AbortSignal.timeout(TOKEN_MS),
    })
    const text = await response.text()
    if (!response.ok) throw new TokenRefused(`${host} gave no token for the client (${response.status}).`)
    const answer = readAnswer(text)
    if (answer === undefined) throw new TokenRefused(`${host} answered without an access token.`)
    return answer
  }
}

function question(client: ClientCredentials): { headers: Record<string, string>; body: string } {
  const { clientId, clientSecret, scope, audience } = client
  const body = new URLSearchParams({ grant_type: 'client_credentials' })
  if (scope !== undefined) body.set('scope', scope)
  if (audience !== undefined) body.set('audience', audience)
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }
  if (client.sendsIn === 'header') {
    // RFC 6749, section 2.3.1: both are encoded as in a form first.
    const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`
    return {
      headers: { ...headers, authorization: `Basic ${Buffer.from(pair).toString('base64')}` },
      body: body.toString(),
    }
  }
  body.set('client_id', clientId)
  body.set('client_secret', clientSecret)
  return { headers, body: body.toString() }
}

const formEncoded = (text: string): string => new URLSearchParams({ a: text }).toString().slice(2)

function readAnswer(text: string): { token: string; seconds: number } | undefined {
  try {
    const { access_token: token, expires_in: given } = JSON.parse(text) as Record<string, unknown>
    if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token) || token.length > MAX_TOKEN_LENGTH)
      return undefined
    const seconds = Number(given ?? UNSTATED_SECONDS)
    return { token, seconds: Number.isFinite(seconds) ? seconds : UNSTATED_SECONDS }
  } catch {
    return undefined
  }
}

function urlOf(text: string): URL {
  const url = URL.parse(text)
  if (url !== null) return url
  throw new TokenRefused('fetch.auth.oauth2.tokenUrl must be an absolute address that begins with https://.')
}

/** No secret is kept as a key. */
const keyOf = (workspaceId: string, client: ClientCredentials): string =>
  createHash('sha256')
    .update(JSON.stringify([workspaceId, ...Object.entries(client).toSorted()]))
    .digest('base64url')
