import { searchAllEvents as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Search } from '@platform/search'
import { answerSearch } from './answer-search.ts'
import { readSearch } from './read-search.ts'

/** The same over every stream, the platform's own included. */
export const searchAllEvents = (deps: { search: Search; clock: Clock }) =>
  route(endpoint, {
    handle: ({ body }) =>
      answerSearch(deps.search, undefined, readSearch(body, deps.clock.now()), body.source),
  })
