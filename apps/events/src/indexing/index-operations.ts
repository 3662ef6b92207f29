import {
  type EventIndex,
  eventStream,
  getEventIndex,
  reindexEvents,
  requestReindex,
  showIndexState,
} from '@platform/contracts'
import { type Route, respond, route } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Log } from '@platform/search'
import { noIndex } from './index-status.ts'
import type { IndexStore } from './index-store.ts'

/** What operators may ask of the index. */
export interface IndexOperations {
  /** How far the index is built and how far it is behind. */
  status(): Promise<EventIndex>
  /**
   * Has all of the index, or the part of one workspace, emptied and built again; the log answers meanwhile. Throws
   * InvalidArgumentsError without an index.
   */
  reindex(workspaceId: string | undefined): Promise<EventIndex>
}

/** The same two operations for super administrators through the gateway, and for operators with the internal key. */
export const indexRoutes = ({ status, reindex }: IndexOperations): Route[] => [
  route(getEventIndex, { handle: async () => shown(await status()) }),
  route(showIndexState, { handle: async () => shown(await status()) }),
  route(reindexEvents, {
    handle: async ({ query }) => shown(await reindex(query.workspace)),
  }),
  route(requestReindex, {
    handle: async ({ query }) => shown(await reindex(query.workspace)),
  }),
]

const shown = (index: EventIndex) => respond(index, { headers: { 'cache-control': 'no-store' } })

/** Requests to the leader. */
export const operationsOf = (deps: {
  log: Pick<Log, 'lastSequence'>
  store: Pick<IndexStore, 'requestBuild' | 'requestStreams' | 'wakeLeader'>
  status: () => Promise<EventIndex>
}): IndexOperations => ({
  status: deps.status,
  async reindex(workspaceId) {
    // Before the first build nothing has to be emptied: it comes by itself.
    if (workspaceId === undefined) await deps.store.requestBuild(await deps.log.lastSequence())
    else await deps.store.requestStreams([eventStream(workspaceId)])
    deps.store.wakeLeader()
    return await deps.status()
  },
})

/** Where there is nothing but the log. */
export const operationsWithoutIndex = (driver: string): IndexOperations => ({
  status: async () => noIndex(driver),
  async reindex() {
    throw new Failure(
      'InvalidArgumentsError',
      'There is no search index to build: the log in PostgreSQL is searched itself. SEARCH_URL can name an index.',
    )
  },
})
