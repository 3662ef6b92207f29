import type { Audit } from '@platform/audit'
import type { InternalPrincipal, UserPrincipal } from '@platform/auth'
import { type AuthProviderInput, gatewaySsoUpdated } from '@platform/contracts'
import type { Database, Queries } from '@platform/database'
import type { RequestInfo } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Outbound } from '@platform/outbound'
import { OutboundRefused } from '@platform/outbound'
import type { Outbox } from '@platform/outbox'
import {
  type AuthProvider,
  addressesOf,
  domainUsed,
  mailDomainOf,
  presentProvider,
  requireAddresses,
  wrongAddress,
} from './auth-provider.ts'
import type { AuthProviderStore } from './auth-provider-store.ts'
import type { Providers } from './providers.ts'

/** What the operations on providers of organizations need. */
export interface ProviderChangeNeeds {
  store: AuthProviderStore
  providers: Pick<Providers, 'ofPlatform'>
  changes: ProviderChanges
}

/** Who changes a provider, from where. */
export interface Changer {
  principal: UserPrincipal | InternalPrincipal
  request: RequestInfo
}

/** Changes with what must be told of them, in one transaction. */
export interface ProviderChanges {
  /**
   * Throws RequestValidationError for an address that may not be called, DomainAlreadyUsed for a domain of the file.
   */
  check(input: AuthProviderInput): Promise<void>
  /** `work` makes the change and answers the provider it was about. */
  commit(
    type: 'created' | 'updated' | 'deleted',
    changer: Changer,
    work: (tx: Queries) => Promise<AuthProvider>,
  ): Promise<AuthProvider>
}

interface Needs {
  database: Database
  outbox: Outbox
  audit: Audit
  outbound: Pick<Outbound, 'fetch'>
  providers: Pick<Providers, 'ofPlatform'>
  allowHttp: boolean
}

/** With all else a change does it is answered within three seconds. */
const PROBE_MS = 2000

export const providerChanges = (needs: Needs): ProviderChanges => ({
  async check(input) {
    requireAddresses(input.config, needs.allowHttp)
    const taken = new Set(needs.providers.ofPlatform.flatMap(({ domains }) => domains))
    const domain = domainsOf(input).find((one) => taken.has(one))
    if (domain !== undefined) throw domainUsed(domain)
    await Promise.all(addressesOf(input.config).map(([name, url]) => probe(name, url, needs.outbound)))
  },

  commit: (type, { principal, request }, work) =>
    needs.database.transaction(async (tx) => {
      const provider = await work(tx)
      const { slug, orgSlug = '' } = provider
      const userId = principal.kind === 'user' ? principal.userId : undefined
      await needs.outbox.add(
        tx,
        gatewaySsoUpdated,
        { type, slug, orgSlug, authProvider: presentProvider(provider) },
        {
          host: { service: 'api-gateway' },
          correlationId: request.correlationId,
          ...(userId === undefined ? {} : { userId }),
        },
      )
      await needs.audit.record(tx, {
        action: 'authProvider.changed',
        actor: userId === undefined ? 'platform' : `user:${userId}`,
        subject: `authProvider:${slug}`,
        ip: request.clientIp,
        correlationId: request.correlationId,
        details: { change: type, orgSlug },
      })
      return provider
    }),
})

/**
 * Whoever sets a provider up hears at once that its address leads inside, instead of people who try to sign in. One
 * that does not answer is no mistake, and each later call is guarded again.
 */
async function probe(name: string, url: string, outbound: Pick<Outbound, 'fetch'>): Promise<void> {
  try {
    const signal = AbortSignal.timeout(PROBE_MS)
    const response = await outbound.fetch(url, { method: 'HEAD', redirect: 'manual', signal })
    await response.body?.cancel()
  } catch (error) {
    if (error instanceof OutboundRefused)
      throw wrongAddress(name, `may not be called: ${error.message.replace(/\.$/, '')}`)
  }
}

/** The domains as they are compared. */
const domainsOf = ({ domains = [] }: Pick<AuthProviderInput, 'domains'>): string[] => [
  ...new Set(domains.map(mailDomainOf)),
]

/** A provider of an organization as it was given. A secret that is not given stays. */
export const givenProvider = (
  input: AuthProviderInput,
  kept: { id: string; orgSlug: string; secret?: string | undefined },
): AuthProvider => {
  const { client_secret: secret = kept.secret, ...config } = input.config
  return {
    id: kept.id,
    orgSlug: kept.orgSlug,
    slug: input.slug,
    source: 'database',
    type: input.type,
    name: input.name,
    icon: input.icon,
    config: { ...config, ...(secret === undefined ? {} : { client_secret: secret }) },
    attributesMapping: input.attributesMapping ?? {},
    domains: domainsOf(input),
    enabled: input.enabled ?? true,
    meta: input.meta ?? {},
  }
}

/** The failure of changing what stands in the file. */
export const inFile = (slug: string): Failure =>
  new Failure(
    'ForbiddenError',
    `The provider "${slug}" stands in the file AUTH_PROVIDERS_CONFIG: change it there.`,
  )
