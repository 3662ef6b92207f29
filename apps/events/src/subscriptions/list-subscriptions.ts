import { listSubscriptions as endpoint } from '@platform/contracts'
import { nextPage, respond, route } from '@platform/http'
import type { SubscriptionNeeds } from './needs.ts'
import { described } from './subscription.ts'
import { readerOf } from './subscription-access.ts'

export const listSubscriptions = (deps: Pick<SubscriptionNeeds, 'subscriptions'>) =>
  route(endpoint, {
    async handle({ query, request, admitted }) {
      const { workspaceId } = readerOf(admitted)

      const { page, limit } = query
      const found = await deps.subscriptions.list(workspaceId, { offset: page * limit, limit: limit + 1 })

      const headers = found.length > limit ? { link: nextPage(request.url, page) } : {}
      return respond(found.slice(0, limit).map(described), { headers })
    },
  })
