import type { Job } from '@platform/service'
import type { DefinitionStore, RecentChange } from './definition-store.ts'
import type { Definitions } from './definitions.ts'

/** Together with the reading of a change this stays under the second that saving an automation may take to be seen. */
const EVERY_MS = 700

/** The store remembers changes for 20 s; after a longer outage every known workspace is compared. */
const COVERED_MS = 15_000

/** Sees changes whose announcement was lost. */
export function pollChanges(deps: { definitions: Definitions; store: DefinitionStore }): Job {
  const { definitions, store } = deps
  let comparedAt = performance.now()
  return {
    name: 'poll-definition-changes',
    everyMs: EVERY_MS,
    async run() {
      const startedAt = performance.now()
      const known = definitions.knownIds
      if (known.length === 0) comparedAt = startedAt
      else if (startedAt - comparedAt < COVERED_MS) definitions.compare(await store.listRecentChanges())
      else definitions.compare(await allRevisions(store, known))
      comparedAt = startedAt
    },
  }
}

/** What is not live any more counts as deleted. */
async function allRevisions(store: DefinitionStore, known: readonly string[]): Promise<RecentChange[]> {
  const live = await store.listRevisions(known)
  const liveIds = new Set(live.map(({ workspaceId }) => workspaceId))
  const gone = known.filter((workspaceId) => !liveIds.has(workspaceId))
  return [...live, ...gone.map((workspaceId) => ({ workspaceId, revision: -1, deleted: true }))]
}
