import { type EventIndex, eventStream } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { Log } from '@platform/search'
import type { IndexStore } from './index-store.ts'

/** What operators may ask of the index. */
export interface IndexOperations {
  status(): Promise<EventIndex>
  /**
   * Has all of the index, or the part of one workspace, emptied and built again. Throws InvalidArgumentsError without
   * an index.
   */
  reindex(workspaceId: string | undefined): Promise<EventIndex>
}

/** Requests to the leader, told by `ring`. */
export const requestsOf = (deps: {
  log: Pick<Log, 'lastSequence'>
  store: Pick<IndexStore, 'requestBuild' | 'requestStreams'>
  status: () => Promise<EventIndex>
  ring: () => Promise<unknown>
}): IndexOperations => ({
  status: deps.status,
  async reindex(workspaceId) {
    // Before the first build nothing has to be emptied: it comes by itself.
    if (workspaceId === undefined) await deps.store.requestBuild(await deps.log.lastSequence())
    else await deps.store.requestStreams([eventStream(workspaceId)])
    await deps.ring()
    return await deps.status()
  },
})

/** Where there is nothing but the log. */
export const requestsWithoutIndex = (status: EventIndex): IndexOperations => ({
  status: async () => status,
  async reindex() {
    throw new Failure(
      'InvalidArgumentsError',
      'There is no search index to build: the log in PostgreSQL is searched itself. SEARCH_URL can name an index.',
    )
  },
})
