import { authenticated } from '@platform/auth'
import { type EventRecord, listEvents as endpoint, eventStream } from '@platform/contracts'
import { route } from '@platform/http'
import type { Permissions } from '@platform/permissions'
import type { Filter, Search } from '@platform/search'
import { feedFilter } from './event-filter.ts'

/** What is for owners only, and no API key's business (reference permissions 4.5): the permission filter is part of the query, so pages are never short. */
const noSecurityEvents: Filter = { not: { path: 'type', like: 'apikeys.*' } }

/** The activity feed: newest first, in the order the server accepted the events (decisions I9). */
export const listEvents = (deps: { permissions: Permissions; search: Search }) =>
  route(endpoint, {
    access: authenticated,
    async handle({ params, query, principal }) {
      const { workspace, role, by } = await deps.permissions.require(
        principal,
        'read',
        'events',
        params.workspaceId,
      )
      const asked = feedFilter(query)

      const seesAll = role === 'owner' || by === 'power'
      const filter: Filter = seesAll ? asked : { all: [asked, noSecurityEvents] }
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
