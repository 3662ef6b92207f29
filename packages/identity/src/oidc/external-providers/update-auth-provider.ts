import { type AuthProviderConfig, updateAuthProvider as endpoint, getAuthProvider } from '@platform/contracts'
import { etagOf, requireMatch, route } from '@platform/http'
import { Failure } from '@platform/kernel'
import { presentProvider } from './auth-provider.ts'
import { givenProvider, type ProviderChangeNeeds } from './provider-changes.ts'
import { requireOwn } from './require-own.ts'

export const updateAuthProvider = ({ store, providers, changes }: ProviderChangeNeeds) =>
  route(endpoint, {
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
        requireMatch(request.headers, etagOf(getAuthProvider, presentProvider(before)))
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
