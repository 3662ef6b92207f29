import { deleteAuthProvider as endpoint, getAuthProvider } from '@platform/contracts'
import { etagOf, requireMatch, route } from '@platform/http'
import { presentProvider } from './auth-provider.ts'
import type { ProviderChangeNeeds } from './provider-changes.ts'
import { requireOwn } from './require-own.ts'

/** What was linked stays: the accounts belong to people, and the provider may come back. */
export const deleteAuthProvider = ({ store, providers, changes }: ProviderChangeNeeds) =>
  route(endpoint, {
    async handle({ params, principal, request }) {
      await requireOwn(params, { store, providers })

      const removed = await changes.commit('deleted', { principal, request }, async (tx) => {
        const provider = await requireOwn(params, { store, providers }, tx)
        requireMatch(request.headers, etagOf(getAuthProvider, presentProvider(provider)))
        await store.remove(tx, provider.id)
        return provider
      })

      return presentProvider(removed)
    },
  })
