import type { EventContract, EventSource, PayloadInputOf } from '@platform/contracts'
import type { Database, Queries } from '@platform/database'
import type { Outbox } from '@platform/outbox'
import { type PermissionStore, permissionStore } from '@platform/permissions'

/**
 * One change: rows of several nouns and the events that report it, committed together or not at all. `Stores` are the
 * questions of the nouns it touches.
 */
export type Change<Stores> = Stores & {
  permissions: PermissionStore
  emit<C extends EventContract>(contract: C, payload: PayloadInputOf<C>, source: EventSource): Promise<void>
}

/** Where changes are committed. */
export interface ChangeStore<Stores> {
  commit<T>(work: (change: Change<Stores>) => Promise<T>): Promise<T>
}

/** `storesIn` asks the questions of each noun inside a transaction; given by service.ts, where nouns meet. */
export const changeStore = <Stores>(
  database: Database,
  outbox: Outbox,
  storesIn: (tx: Queries) => Stores,
): ChangeStore<Stores> => ({
  commit: (work) =>
    database.transaction((tx) =>
      work({
        ...storesIn(tx),
        permissions: permissionStore(tx),
        async emit(contract, payload, source) {
          await outbox.add(tx, contract, payload, source)
        },
      }),
    ),
})
