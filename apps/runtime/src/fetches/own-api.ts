import { headers as names } from '@platform/contracts'
import type { OwnIdentity } from './own-identity.ts'
import type { SignedRequest } from './signed-request.ts'

/** A run that calls the platform itself. */
export interface CallingFrame {
  readonly workspaceId: string
  readonly runId: string
  readonly depth: number
  readonly correlationId: string
  readonly userId?: string | undefined
  readonly sessionId?: string | undefined
}

/** What one call says beside. */
export interface CallDetails {
  readonly apiKeyId?: string | undefined
  /** The call is the workspace's own, and nobody's whom the run acts for. */
  readonly asWorkspace: boolean
}

/** Makes what calls of our own API carry; there is none where the runtime has no master keys. */
interface Tokens {
  ofCall(frame: CallingFrame, details: CallDetails): Promise<string>
  proofOf(frame: CallingFrame): Promise<string>
  isProof(token: string, frame: CallingFrame): Promise<boolean>
}

export interface OwnApiParts {
  /** As automations know it, and from inside: both end with a version. */
  readonly apiUrl: string
  readonly internalApiUrl: string
  readonly tokens: Tokens | undefined
  /** The id of an API key of the workspace with this name, if there is one that is good. */
  readonly findApiKey: (workspaceId: string, name: string) => Promise<string | undefined>
}

/** Why a call of our own API is not made; a sentence for the author. */
export class IdentityRefused extends Error {
  override readonly name = 'IdentityRefused'
}

interface Base {
  readonly origin: string
  readonly prefix: string
}

const VERSION = /^\/v\d+(?=\/|$)/
const BEARER = /^bearer +/i

/**
 * Our own API, as automations call it. Such a call goes to the gateway from inside, and says whose run it comes from;
 * nothing of that is ever in a request to another address, nor in what an automation can see.
 */
export class OwnApi {
  readonly #parts: OwnApiParts
  readonly #bases: readonly Base[]
  readonly #inside: Base

  constructor(parts: OwnApiParts) {
    this.#parts = parts
    this.#inside = baseOf(parts.internalApiUrl)
    this.#bases = [baseOf(parts.apiUrl), this.#inside]
  }

  /** The one origin that the guard of calls to the outside does not refuse. */
  get origin(): string {
    return this.#inside.origin
  }

  /** Where a request to our own API goes; undefined for any other address. */
  inside(url: URL): URL | undefined {
    if (url.username !== '' || url.password !== '') return undefined
    const base = this.#bases.find(
      ({ origin, prefix }) =>
        url.origin === origin &&
        url.pathname.startsWith(prefix) &&
        VERSION.test(url.pathname.slice(prefix.length)),
    )
    if (base === undefined) return undefined
    return new URL(
      this.#inside.origin + this.#inside.prefix + url.pathname.slice(base.prefix.length) + url.search,
    )
  }

  /** What a request goes through before it leaves; undefined for one to any other address. */
  introducing(
    { url, identity }: { readonly url: URL; readonly identity?: OwnIdentity | undefined },
    frame: CallingFrame,
  ): ((request: SignedRequest) => Promise<SignedRequest>) | undefined {
    const inside = this.inside(url)
    return inside && ((request) => this.#introduced(request, inside, frame, identity))
  }

  /** The request as it leaves. A proof of the workspace in the place of a credential says what it stands for. */
  async #introduced(
    request: SignedRequest,
    inside: URL,
    frame: CallingFrame,
    identity: OwnIdentity | undefined,
  ): Promise<SignedRequest> {
    const headers = new Headers(request.headers)
    headers.delete(names.runToken)
    if (!headers.has(names.correlationId)) headers.set(names.correlationId, frame.correlationId)
    const { tokens } = this.#parts
    if (tokens === undefined) {
      if (identity !== undefined) throw withoutKeys()
      return { ...request, url: inside, headers }
    }
    const isProof = await this.#takeProof(headers, frame)
    const details = {
      asWorkspace: isProof || identity?.asWorkspace === true,
      apiKeyId: await this.#apiKeyOf(frame, identity),
    }
    const correlationId = headers.get(names.correlationId) ?? ''
    headers.set(names.runToken, await tokens.ofCall({ ...frame, correlationId }, details))
    return { ...request, url: inside, headers }
  }

  /** What `auth` answers. */
  async proofOf(frame: CallingFrame): Promise<string> {
    if (this.#parts.tokens === undefined) throw withoutKeys()
    return await this.#parts.tokens.proofOf(frame)
  }

  async #takeProof(headers: Headers, frame: CallingFrame): Promise<boolean> {
    const given = headers.get('authorization') ?? ''
    if (!BEARER.test(given)) return false
    const isProof = (await this.#parts.tokens?.isProof(given.replace(BEARER, ''), frame)) === true
    if (isProof) headers.delete('authorization')
    return isProof
  }

  async #apiKeyOf(
    { workspaceId }: CallingFrame,
    identity: OwnIdentity | undefined,
  ): Promise<string | undefined> {
    const name = identity?.apiKeyName
    if (name === undefined) return undefined
    const id = await this.#parts.findApiKey(workspaceId, name)
    if (id !== undefined) return id
    throw new IdentityRefused(
      `No API key of this workspace is called "${name.slice(0, 100)}" and good: look at their names and ends.`,
    )
  }
}

function baseOf(url: string): Base {
  const { origin, pathname } = new URL(url)
  return { origin, prefix: pathname.replace(/\/+$/, '').replace(/\/v\d+$/, '') }
}

const withoutKeys = () =>
  new IdentityRefused('The runtime signs nothing: an operator has to give SECRETS_MASTER_KEYS to it.')
