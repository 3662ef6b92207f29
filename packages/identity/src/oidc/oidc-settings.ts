import type { CookiePolicy } from '../sessions/access-token-cookie.ts'
import type { ExternalClient } from './external-clients.ts'

/** What the OIDC server must know of this installation. */
export interface OidcSettings {
  /** `{origin}/oidc`, also the `iss` of every token. */
  issuer: string
  /** The resource indicator and the `aud` of every token. */
  apiUrl: string
  /** Scheme, host and port people reach the gateway at. */
  origin: string
  /** Consoles people are sent back to; the first one is linked from pages. */
  consoleUrls: readonly string[]
  /** Client id of the console. */
  studioClientId: string
  accessTokenSeconds: number
  refreshTokenSeconds: number
  /** How long a browser stays signed in. */
  sessionSeconds: number
  cookieSecret: string
  cookies: CookiePolicy
  /** Origins of the platform: their pages may be given the cookie of the API. */
  trustedOrigins: readonly string[]
  /** Lets programs register clients; without it there is no registration. */
  registrationToken: string | undefined
  externalClients: readonly ExternalClient[]
}

interface Given {
  apiUrl: string
  /** Another origin for the issuer than that of `apiUrl`. */
  providerUrl?: string | undefined
  consoleUrls: readonly string[]
  studioClientId: string
  accessTokenSeconds: number
  /** Default: 30 days more than an access token, so that one can refresh when it expires. */
  refreshTokenSeconds?: number | undefined
  sessionSeconds?: number | undefined
  cookieSecret: string
  /** Origins beside those of the API and the consoles. */
  additionalOrigins?: readonly string[] | undefined
  registrationToken?: string | undefined
  externalClients?: readonly ExternalClient[] | undefined
}

const MONTH_SECONDS = 2_592_000
/** True for the names a machine has for itself. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** Derives what follows from the addresses. */
export function oidcSettings(given: Given): OidcSettings {
  const { origin } = new URL(given.providerUrl ?? given.apiUrl)
  const { protocol, hostname } = new URL(given.apiUrl)
  return {
    issuer: `${origin}/oidc`,
    apiUrl: given.apiUrl,
    origin,
    consoleUrls: given.consoleUrls,
    studioClientId: given.studioClientId,
    accessTokenSeconds: given.accessTokenSeconds,
    refreshTokenSeconds: given.refreshTokenSeconds ?? given.accessTokenSeconds + MONTH_SECONDS,
    sessionSeconds: given.sessionSeconds ?? MONTH_SECONDS,
    cookieSecret: given.cookieSecret,
    cookies: {
      maxAgeSeconds: given.accessTokenSeconds,
      secure: protocol === 'https:' || !isLoopback(hostname),
    },
    trustedOrigins: [origin, ...given.consoleUrls, ...(given.additionalOrigins ?? [])].map(originOf),
    registrationToken: given.registrationToken,
    externalClients: given.externalClients ?? [],
  }
}

const originOf = (address: string): string => URL.parse(address)?.origin ?? address
