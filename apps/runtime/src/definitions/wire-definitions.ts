import type { Database } from '@platform/database'
import type { EventLimits } from '@platform/outbox'
import { stepCompiler } from './compile-steps.ts'
import { definitionStore } from './definition-store.ts'
import { Definitions } from './definitions.ts'
import { onDefinitionsChanged } from './on-definitions-changed.ts'
import { pollChanges } from './poll-changes.ts'

/** The compiled workspaces and what keeps them fresh. */
export function wireDefinitions(deps: { database: Database; events: EventLimits; maxWorkspaces: number }) {
  const store = definitionStore(deps.database)
  const definitions = new Definitions(store, stepCompiler(deps.events), deps.maxWorkspaces)
  return {
    definitions,
    store,
    subscriptions: onDefinitionsChanged(definitions),
    jobs: [pollChanges({ definitions, store })],
  }
}
