import { type EventRecord, listEvents as endpoint, eventStream, limits } from '@platform/contracts'
import { nextLink, respond, route } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { UserTopicStore } from '@platform/permissions'
import type { Search } from '@platform/search'
import { feedFilter } from './event-filter.ts'
import { askedAndVisible, withTopics } from './event-visibility.ts'

/** The activity feed: newest first, in the order the server accepted the events. */
export const listEvents = (deps: { search: Search; topics: UserTopicStore }) =>
  route(endpoint, {
    async handle({ query, principal, request, admitted: admission }) {
      const { sort, limit, page, beforeId, afterId } = query
      requireReach(page, limit)

      const reader = await withTopics(deps.topics, { principal, admission })
      const found = await deps.search.find(eventStream(admission.workspace.id), {
        filter: askedAndVisible(reader, feedFilter(query)),
        sort,
        limit,
        page,
        ...(beforeId === undefined ? {} : { beforeId }),
        ...(afterId === undefined ? {} : { afterId }),
      })

      const events = found as unknown as EventRecord[]
      const last = events.at(-1)
      // A full page may be the last one: then the next is empty.
      const goesOn = last !== undefined && events.length === limit
      const headers = goesOn
        ? { link: nextLink(request.url, sort === 'asc' ? 'afterId' : 'beforeId', last.id) }
        : {}
      return respond({ result: { events } }, { headers })
    },
  })

function requireReach(page: number, limit: number): void {
  if ((page + 1) * limit <= limits.searchDepth) return
  const message = `Pages reach ${limits.searchDepth} events deep: go on by beforeId, as the Link header does.`
  throw new Failure('RequestValidationError', message, { details: [{ path: 'query.page', message }] })
}
