import type { EventContract, EventSource, PayloadInputOf } from '@platform/contracts'
import type { Database, Queries } from '@platform/database'
import type { Outbox } from '@platform/outbox'
import { type PermissionStore, permissionStore } from '@platform/permissions'
import type { AutomationStore } from '../automations/automation-store.ts'
import type { WorkspaceStore } from '../workspaces/workspace-store.ts'

/** One change: rows of several nouns and the events that report it, committed together or not at all. */
export interface Change {
  workspaces: WorkspaceStore
  automations: AutomationStore
  permissions: PermissionStore
  emit<C extends EventContract>(contract: C, payload: PayloadInputOf<C>, source: EventSource): Promise<void>
}

export type ChangeStore = ReturnType<typeof changeStore>

/** The questions of each noun, asked inside a transaction; given by service.ts, where nouns meet. */
interface StoresOf {
  workspaces: (tx: Queries) => WorkspaceStore
  automations: (tx: Queries) => AutomationStore
}

/** Where changes are committed. */
export const changeStore = (database: Database, outbox: Outbox, storesOf: StoresOf) => ({
  commit: <T>(work: (change: Change) => Promise<T>): Promise<T> =>
    database.transaction((tx) =>
      work({
        workspaces: storesOf.workspaces(tx),
        automations: storesOf.automations(tx),
        permissions: permissionStore(tx),
        async emit(contract, payload, source) {
          await outbox.add(tx, contract, payload, source)
        },
      }),
    ),
})
