import {
  type AuthProviderConfig,
  createAuthProvider as createAuthProviderContract,
  deleteAuthProvider as deleteAuthProviderContract,
  getAuthProvider as getAuthProviderContract,
  listAuthProviders as listAuthProvidersContract,
  updateAuthProvider as updateAuthProviderContract,
} from '@platform/contracts'
import type { Queries } from '@platform/database'
import { etagOf, requireMatch, route } from '@platform/http'
import { Failure, uuidv7 } from '@platform/kernel'
import {
  type AuthProvider,
  noSuchProvider,
  presentProvider,
  requireOrgSlug,
  slugUsed,
} from './auth-provider.ts'
import type { AuthProviderStore } from './auth-provider-store.ts'
import { givenProvider, inFile, type ProviderChangeNeeds } from './provider-changes.ts'
import type { Providers } from './providers.ts'

export const listAuthProviders = (deps: {
  store: Pick<AuthProviderStore, 'listOfOrg'>
  providers: Pick<Providers, 'ofPlatform'>
}) =>
  route(listAuthProvidersContract, {
    async handle({ params }) {
      requireOrgSlug(params.orgSlug)
      const { ofPlatform } = deps.providers
      const own = await deps.store.listOfOrg(params.orgSlug)

      const visible = own.filter(({ slug }) => !ofPlatform.some((provider) => provider.slug === slug))
      return [...ofPlatform, ...visible].map(presentProvider)
    },
  })

export const getAuthProvider = ({ providers }: { providers: Pick<Providers, 'findBySlug'> }) =>
  route(getAuthProviderContract, {
    async handle({ params }) {
      requireOrgSlug(params.orgSlug)
      const found = await providers.findBySlug(params.slug)

      if (found === undefined || (found.source === 'database' && found.orgSlug !== params.orgSlug))
        throw noSuchProvider(params.slug)

      return presentProvider(found)
    },
  })

export const createAuthProvider = ({ store, providers, changes }: ProviderChangeNeeds) =>
  route(createAuthProviderContract, {
    async handle({ params, body, principal, request }) {
      requireOrgSlug(params.orgSlug)
      if (providers.ofPlatform.some(({ slug }) => slug === body.slug)) throw slugUsed(body.slug)
      await changes.check(body)

      const provider = givenProvider(body, { id: uuidv7(), orgSlug: params.orgSlug })
      await changes.commit('created', { principal, request }, async (tx) => {
        await store.insert(tx, provider)
        return provider
      })

      return presentProvider(provider)
    },
  })

export const updateAuthProvider = ({ store, providers, changes }: ProviderChangeNeeds) =>
  route(updateAuthProviderContract, {
    async handle({ params, body, principal, request }) {
      const { orgSlug, slug } = params
      if (body.slug !== slug)
        throw new Failure(
          'RequestValidationError',
          'slug can’t change, since accounts are linked under it: add another provider instead.',
        )
      await requireOwn(params, { store, providers })
      await changes.check(body)

      const updated = await changes.commit('updated', { principal, request }, async (tx) => {
        const before = await requireOwn(params, { store, providers }, tx)
        requireMatch(request.headers, etagOf(getAuthProviderContract, presentProvider(before)))
        const { id, config } = before
        requireSecretAgain(config, body.config)
        const provider = givenProvider(body, { id, orgSlug, secret: config.client_secret })
        await store.update(tx, provider)
        return provider
      })

      return presentProvider(updated)
    },
  })

/** A kept secret goes where it has gone before: else whoever may change a provider could have it sent to themselves. */
function requireSecretAgain(before: AuthProviderConfig, after: AuthProviderConfig): void {
  if (before.client_secret === undefined || after.client_secret !== undefined) return
  const target = ({ token_endpoint, issuer }: AuthProviderConfig) => token_endpoint ?? issuer
  if (target(before) === target(after)) return
  throw new Failure(
    'RequestValidationError',
    'config.client_secret must be given again where the provider moves to another address.',
    { details: [{ path: 'config.client_secret', message: 'must be given again' }] },
  )
}

/** What was linked stays: the accounts belong to people, and the provider may come back. */
export const deleteAuthProvider = ({ store, providers, changes }: ProviderChangeNeeds) =>
  route(deleteAuthProviderContract, {
    async handle({ params, principal, request }) {
      await requireOwn(params, { store, providers })

      const removed = await changes.commit('deleted', { principal, request }, async (tx) => {
        const provider = await requireOwn(params, { store, providers }, tx)
        requireMatch(request.headers, etagOf(getAuthProviderContract, presentProvider(provider)))
        await store.remove(tx, provider.id)
        return provider
      })

      return presentProvider(removed)
    },
  })

interface Needs {
  store: Pick<AuthProviderStore, 'findBySlug' | 'lock'>
  providers: Pick<Providers, 'ofPlatform'>
}

/**
 * The provider of an organization that is to be changed; inside `tx` it is locked. Throws ObjectNotFoundError for
 * another organization's as for a missing one, ForbiddenError for one that stands in the file alone.
 */
async function requireOwn(
  { orgSlug, slug }: { orgSlug: string; slug: string },
  { store, providers }: Needs,
  tx?: Queries,
): Promise<AuthProvider> {
  requireOrgSlug(orgSlug)
  const found = tx === undefined ? await store.findBySlug(slug) : await store.lock(tx, orgSlug, slug)
  if (found !== undefined && found.orgSlug === orgSlug) return found
  if (providers.ofPlatform.some((provider) => provider.slug === slug)) throw inFile(slug)
  throw noSuchProvider(slug)
}
