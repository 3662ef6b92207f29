import { listAuthProviders as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { presentProvider, requireOrgSlug } from './auth-provider.ts'
import type { AuthProviderStore } from './auth-provider-store.ts'
import type { Providers } from './providers.ts'

export const listAuthProviders = (deps: {
  store: Pick<AuthProviderStore, 'listOfOrg'>
  providers: Pick<Providers, 'ofPlatform'>
}) =>
  route(endpoint, {
    async handle({ params }) {
      requireOrgSlug(params.orgSlug)
      const { ofPlatform } = deps.providers
      const own = await deps.store.listOfOrg(params.orgSlug)

      const visible = own.filter(({ slug }) => !ofPlatform.some((provider) => provider.slug === slug))
      return [...ofPlatform, ...visible].map(presentProvider)
    },
  })
