import { authenticated } from '@platform/auth'
import { type EventRecord, listEvents as endpoint, eventStream } from '@platform/contracts'
import { route } from '@platform/http'
import type { Permissions } from '@platform/permissions'
import type { Filter, Search } from '@platform/search'
import { feedFilter } from './event-filter.ts'

/** What an editor may not see (reference permissions 4.5): the permission filter is part of the query, so pages are never short. */
const hiddenFromEditors: Filter = { not: { path: 'type', like: 'apikeys.*' } }

/** The activity feed: newest first, in the order the server accepted the events (decisions I9). */
export const listEvents = (deps: { permissions: Permissions; search: Search }) =>
  route(endpoint, {
    access: authenticated,
    async handle({ params, query, principal }) {
      const { workspace, role } = await deps.permissions.require(
        principal,
        'read',
        'events',
        params.workspaceId,
      )
      const asked = feedFilter(query)

      const filter: Filter = role === 'editor' ? { all: [asked, hiddenFromEditors] } : asked
      const { sort, limit, page, beforeId, afterId } = query
      const cursor = {
        ...(beforeId === undefined ? {} : { beforeId }),
        ...(afterId === undefined ? {} : { afterId }),
      }
      const found = await deps.search.find(eventStream(workspace.id), {
        filter,
        sort,
        limit,
        page,
        ...cursor,
      })

      return { result: { events: found as unknown as EventRecord[] } }
    },
  })
