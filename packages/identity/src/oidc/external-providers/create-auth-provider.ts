import { createAuthProvider as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { uuidv7 } from '@platform/kernel'
import { presentProvider, requireOrgSlug, slugUsed } from './auth-provider.ts'
import { givenProvider, type ProviderChangeNeeds } from './provider-changes.ts'

export const createAuthProvider = ({ store, providers, changes }: ProviderChangeNeeds) =>
  route(endpoint, {
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
