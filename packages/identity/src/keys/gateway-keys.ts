import { gatewayJwksUpdated, runtimeJwksUpdated } from '@platform/contracts'
import type { KeyPlace } from '@platform/signing-keys'
import type { SealedColumn } from './master-keys/sealed-column-store.ts'

/** The keys that sign the JWTs of sessions. The runtime knows them too, and is told by an event of its own. */
export const gatewayKeys: KeyPlace = {
  table: 'gateway.signing_keys',
  service: 'api-gateway',
  announcements: [gatewayJwksUpdated, runtimeJwksUpdated],
}

/** Where they are sealed, for the job that seals them again with a new master key. */
export const sealedSigningKeys: SealedColumn = {
  table: gatewayKeys.table,
  key: 'kid',
  column: 'sealed_jwk',
}
