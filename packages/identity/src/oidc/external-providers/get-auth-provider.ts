import { getAuthProvider as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { noSuchProvider, presentProvider, requireOrgSlug } from './auth-provider.ts'
import type { Providers } from './providers.ts'

export const getAuthProvider = ({ providers }: { providers: Pick<Providers, 'findBySlug'> }) =>
  route(endpoint, {
    async handle({ params }) {
      requireOrgSlug(params.orgSlug)
      const found = await providers.findBySlug(params.slug)

      if (found === undefined || (found.source === 'database' && found.orgSlug !== params.orgSlug))
        throw noSuchProvider(params.slug)

      return presentProvider(found)
    },
  })
