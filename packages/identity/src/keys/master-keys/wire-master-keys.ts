import type { Audit } from '@platform/audit'
import type { Database } from '@platform/database'
import type { Route } from '@platform/http'
import type { Logger } from '@platform/logging'
import type { MasterKeyRing } from '@platform/master-keys'
import type { Job } from '@platform/service'
import { listMasterKeys } from './list-master-keys.ts'
import { resealSecrets } from './reseal-secrets.ts'
import type { SealedColumn } from './sealed-column.ts'
import { sealedColumnStore } from './sealed-column-store.ts'

interface Needs {
  database: Database
  masterKeys: MasterKeyRing
  audit: Audit
  log: Logger
  /** Everything of identity that master keys have sealed and that lives for longer than minutes. */
  sealedColumns: readonly SealedColumn[]
}

/**
 * What the events service has sealed, and seals again itself: an operator is told of everything that a master key
 * holds.
 */
const placesOfOthers = ['secret', 'previous_secret', 'headers'].map((column) =>
  sealedColumnStore({ table: 'events.subscriptions', key: 'id', column }),
)

/** Master keys and what they seal, for the composition root. */
export function wireMasterKeys(needs: Needs): { routes: Route[]; jobs: Job[] } {
  const deps = { ...needs, places: needs.sealedColumns.map(sealedColumnStore) }
  return { routes: [listMasterKeys({ ...deps, placesOfOthers })], jobs: [resealSecrets(deps)] }
}
