import type { Audit } from '@platform/audit'
import { gatewayJwksUpdated, runtimeJwksUpdated } from '@platform/contracts'
import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { MasterKeyRing } from '@platform/master-keys'
import type { Outbox } from '@platform/outbox'
import type { Part } from '@platform/service'
import {
  type KeyPlace,
  type KeyPolicy,
  KeyRing,
  keyOpener,
  reloadOn,
  replaceDeletedSigner,
  rotateSigningKeys,
  sealedKeys,
  signingKeyStore,
} from '@platform/signing-keys'
import type { Opened } from '../opened.ts'
import { listMasterKeys } from './master-keys/list-master-keys.ts'
import { resealSecrets } from './master-keys/reseal-secrets.ts'
import { type SealedColumn, sealedColumnStore } from './master-keys/sealed-column-store.ts'
import { jwtMint, type MintJwt } from './mint-jwt.ts'
import { getJwks } from './signing-keys/get-jwks.ts'
import { sessionsByKeyStore } from './signing-keys/sessions-by-key-store.ts'
import { exposeSigningKeys } from './signing-keys/signing-key-metrics.ts'
import {
  listSigningKeys,
  previewSigningKeyRemoval,
  removeSigningKey,
  rotateSigningKey,
} from './signing-keys/signing-key-operations.ts'

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

interface Needs {
  database: Database
  outbox: Outbox
  audit: Audit
  masterKeys: MasterKeyRing
  /** Everything of identity that master keys have sealed and that lives for longer than minutes. */
  sealedColumns: readonly SealedColumn[]
  policy: KeyPolicy
  /** `iss` and `aud` of every JWT. */
  issuer: string
  audience: string
  opened: Opened
  clock: Clock
  log: Logger
}

/** Signing keys, what they sign, and the master keys that seal them. */
export interface Keys {
  keyRing: KeyRing
  mintJwt: MintJwt
  part: Part
}

/**
 * What the events service and the runtime have sealed, and seal again themselves: an operator is told of everything
 * that a master key holds.
 */
const columnsOfOthers = [
  ...['secret', 'previous_secret', 'headers'].map((column) => ({
    table: 'events.subscriptions',
    key: 'id',
    column,
  })),
  { table: 'runtime.secrets', key: 'name', column: 'sealed' },
  { table: 'runtime.signing_keys', key: 'kid', column: 'sealed_jwk' },
].map(sealedColumnStore)

/** Rejects when the signing keys can't be opened: a start with the wrong master key must not go on. */
export async function openKeys(needs: Needs): Promise<Keys> {
  const { database, audit, masterKeys, policy, issuer, audience, clock, log } = needs
  const signingKeys = signingKeyStore(database, gatewayKeys)
  const sessionsByKey = sessionsByKeyStore(database)
  const sealed = sealedKeys(masterKeys, gatewayKeys)
  const open = keyOpener(sealed, log)
  const keyRing = new KeyRing(async () => open(await signingKeys.list()), clock)
  await keyRing.reload()
  const { outbox } = needs
  const keys = { place: gatewayKeys, signingKeys, sealed, keyRing, outbox, audit, clock, policy }
  const change = { ...keys, sessionsByKey }
  replaceDeletedSigner({ ...change, log })
  needs.opened.use(exposeSigningKeys(change))
  const columns = needs.sealedColumns.map(sealedColumnStore)
  return {
    keyRing,
    mintJwt: jwtMint({ keyRing, issuer, audience, clock }),
    part: {
      routes: [
        getJwks({ keyRing, publishAheadMs: policy.publishAheadMs }),
        listSigningKeys(change),
        rotateSigningKey(change),
        previewSigningKeyRemoval(change),
        removeSigningKey(change),
        listMasterKeys({ database, masterKeys, columns, columnsOfOthers }),
      ],
      subscriptions: [reloadOn(gatewayJwksUpdated, { keyRing, log })],
      jobs: [rotateSigningKeys(change), resealSecrets({ database, masterKeys, audit, log, columns })],
    },
  }
}
