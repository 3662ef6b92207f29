import { getSubscription as get, listSubscriptions as list } from '@platform/contracts'
import { nextPage, respond, route } from '@platform/http'
import type { SubscriptionNeeds } from './needs.ts'
import { described } from './subscription.ts'
import { findSubscription, readerOf } from './subscription-access.ts'

type Needs = Pick<SubscriptionNeeds, 'subscriptions'>

export const listSubscriptions = (deps: Needs) =>
  route(list, {
    async handle({ query, request, admitted }) {
      const { workspaceId } = readerOf(admitted)

      const { page, limit } = query
      const found = await deps.subscriptions.list(workspaceId, { offset: page * limit, limit: limit + 1 })

      const headers = found.length > limit ? { link: nextPage(request.url, page) } : {}
      return respond(found.slice(0, limit).map(described), { headers })
    },
  })

export const getSubscription = (deps: Needs) =>
  route(get, {
    async handle({ params, admitted }) {
      const { workspaceId } = readerOf(admitted)

      return described(await findSubscription(deps.subscriptions, workspaceId, params.subscriptionId))
    },
  })
