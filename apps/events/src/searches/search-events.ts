import { eventStream, searchEvents as search, searchAllEvents as searchAll } from '@platform/contracts'
import { route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Permissions, UserTopicStore } from '@platform/permissions'
import type { Search } from '@platform/search'
import { askedAndVisible, withTopics } from '../event-log/event-visibility.ts'
import { readSearch } from './read-search.ts'
import { runSearch } from './run-search.ts'

interface SearchDeps {
  permissions: Permissions
  search: Search
  topics: UserTopicStore
  clock: Clock
}

/**
 * Finds and counts events of one workspace; what the caller may not read is left out by the query itself, also of
 * every number.
 */
export const searchEvents = (deps: SearchDeps) =>
  route(search, {
    async handle({ params, body, principal, admitted: admission }) {
      const { permissions } = deps
      const query = readSearch(body, deps.clock.now())
      if (Object.keys(query.aggregations).length > 0)
        await permissions.require(principal, 'aggregate_search', {
          type: 'workspaces',
          workspace: params.workspaceId,
        })

      const reader = await withTopics(deps.topics, { principal, admission })
      const filter = askedAndVisible(reader, query.filter)
      const stream = eventStream(admission.workspace.id)
      return runSearch(deps.search, stream, { ...query, filter }, body.source)
    },
  })

/** The same over every stream, the platform's own included. */
export const searchAllEvents = (deps: { search: Search; clock: Clock }) =>
  route(searchAll, {
    handle: ({ body }) => runSearch(deps.search, undefined, readSearch(body, deps.clock.now()), body.source),
  })
