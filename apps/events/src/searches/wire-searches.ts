import type { Route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import type { Search } from '@platform/search'
import { searchAllEvents } from './search-all-events.ts'
import { searchEvents } from './search-events.ts'

/** The routes of searches. */
export const wireSearches = (deps: {
  permissions: Permissions
  search: Search
  clock: Clock
}): { routes: Route[] } => ({ routes: [searchEvents(deps), searchAllEvents(deps)] })
