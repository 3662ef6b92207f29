import { createHash } from 'node:crypto'
import type { AuthProviderConfig } from '@platform/contracts'
import type { Outbound } from '@platform/outbound'
import { LRUCache } from 'lru-cache'
import * as client from 'openid-client'
import { issuerOf } from './auth-provider.ts'
import { ProviderUnavailable } from './provider-error.ts'

/** How providers are asked. */
export interface ConfigurationNeeds {
  outbound: Pick<Outbound, 'fetch'>
  /** True outside production, where providers without TLS may be tried. */
  allowHttp: boolean
}

const TIMEOUT_SECONDS = 10
/** How many providers are kept ready, and how long: after that their metadata is read again. */
const KEPT = { max: 200, ttl: 900_000 }
/** Where nothing was discovered. Shared secrets and `none` never sign anybody in. */
const SIGNING_ALGS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512']

/** Whoever waits is told after this; the provider is asked on behind, and who comes then finds the answer. */
const PATIENCE_MS = 2500

/** One configuration for equal settings, found once by all who ask at the same time; a failure is not kept. */
export function keptConfigurations(
  needs: ConfigurationNeeds,
): (config: AuthProviderConfig) => Promise<client.Configuration> {
  const kept = new LRUCache<string, Promise<client.Configuration>>(KEPT)
  return (config) => {
    const key = createHash('sha256').update(JSON.stringify(config)).digest('base64url')
    const known = kept.get(key)
    if (known !== undefined) return withinPatience(known)
    const found = configure(config, needs)
    kept.set(key, found)
    found.catch(() => kept.delete(key))
    return withinPatience(found)
  }
}

async function withinPatience<T>(found: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const message = 'it has not answered yet; it is asked on, so try again in a moment'
  const timer = setTimeout(() => late.reject(new ProviderUnavailable(message)), PATIENCE_MS)
  try {
    return await Promise.race([found, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

async function configure(
  config: AuthProviderConfig,
  needs: ConfigurationNeeds,
): Promise<client.Configuration> {
  const { authorization_endpoint, token_endpoint, jwks_uri } = config
  const given = Object.fromEntries(
    Object.entries({ authorization_endpoint, token_endpoint, jwks_uri }).filter(([, url]) => url),
  )
  const isComplete = Object.keys(given).length === 3
  if (!isComplete && config.issuer !== undefined) {
    const discovered = await discover(config.issuer, config, needs)
    if (Object.keys(given).length === 0) return discovered
    return ready({ ...discovered.serverMetadata(), ...given }, config, needs)
  }
  const metadata = { id_token_signing_alg_values_supported: SIGNING_ALGS, ...given }
  return ready({ issuer: issuerOf(config), ...metadata }, config, needs)
}

const discover = (
  issuer: string,
  config: AuthProviderConfig,
  needs: ConfigurationNeeds,
): Promise<client.Configuration> =>
  client.discovery(new URL(issuer), config.client_id, undefined, authenticationOf(config), {
    [client.customFetch]: fetchOf(needs),
    timeout: TIMEOUT_SECONDS,
    execute: extensionsOf(needs),
  })

function ready(
  metadata: client.ServerMetadata,
  config: AuthProviderConfig,
  needs: ConfigurationNeeds,
): client.Configuration {
  const configuration = new client.Configuration(
    metadata,
    config.client_id,
    undefined,
    authenticationOf(config),
  )
  configuration[client.customFetch] = fetchOf(needs)
  configuration.timeout = TIMEOUT_SECONDS
  for (const extend of extensionsOf(needs)) extend(configuration)
  return configuration
}

/** The signature of an id token is always checked, also of one that came over TLS from the provider itself. */
const extensionsOf = ({ allowHttp }: ConfigurationNeeds) => [
  client.enableNonRepudiationChecks,
  ...(allowHttp ? [client.allowInsecureRequests] : []),
]

/** Each provider says which way it takes; asked for nothing, the secret goes with the form, which all of them know. */
function authenticationOf({ client_secret: secret }: AuthProviderConfig): client.ClientAuth {
  if (secret === undefined) return client.None()
  const [post, basic] = [client.ClientSecretPost(secret), client.ClientSecretBasic(secret)]
  return (server, metadata, body, headers) => {
    const ways = server.token_endpoint_auth_methods_supported
    const isBasic = ways !== undefined && !ways.includes('client_secret_post')
    return (isBasic ? basic : post)(server, metadata, body, headers)
  }
}

const fetchOf =
  ({ outbound }: Pick<ConfigurationNeeds, 'outbound'>): client.CustomFetch =>
  (url, options) =>
    outbound.fetch(url, options as RequestInit)
