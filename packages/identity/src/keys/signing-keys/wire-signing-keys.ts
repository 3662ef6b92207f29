import type { Audit } from '@platform/audit'
import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { MasterKeyRing } from '@platform/master-keys'
import type { Outbox } from '@platform/outbox'
import type { Opened } from '../../opened.ts'
import { getJwks } from './get-jwks.ts'
import { keyOpener } from './key-opener.ts'
import { KeyRing } from './key-ring.ts'
import { listSigningKeys } from './list-signing-keys.ts'
import { previewSigningKeyRemoval } from './preview-signing-key-removal.ts'
import { removeSigningKey } from './remove-signing-key.ts'
import { rotateSigningKey } from './rotate-signing-key.ts'
import { rotateSigningKeys } from './rotate-signing-keys.ts'
import { sealedKeys } from './sealed-keys.ts'
import { sessionsByKeyStore } from './sessions-by-key-store.ts'
import type { KeyPolicy } from './signing-key.ts'
import { exposeSigningKeys } from './signing-key-metrics.ts'
import { signingKeyStore } from './signing-key-store.ts'
import { reloadOnJwksUpdated, replaceDeletedSigner } from './watch-signing-keys.ts'

interface Needs {
  opened: Opened
  database: Database
  outbox: Outbox
  audit: Audit
  clock: Clock
  log: Logger
  masterKeys: MasterKeyRing
  policy: KeyPolicy
}

/**
 * The signing keys, for the composition root. Rejects when they can't be opened: a start with the wrong master key
 * must not go on.
 */
export async function wireSigningKeys(needs: Needs) {
  const { database, clock, log } = needs
  const signingKeys = signingKeyStore(database)
  const sessionsByKey = sessionsByKeyStore(database)
  const sealed = sealedKeys(needs.masterKeys)
  const open = keyOpener(sealed, log)
  const keyRing = new KeyRing(async () => open(await signingKeys.list()), clock)
  await keyRing.reload()
  const deps = { ...needs, signingKeys, sessionsByKey, sealed, keyRing }
  replaceDeletedSigner(deps)
  needs.opened.use(exposeSigningKeys(deps))
  return {
    keyRing,
    routes: [
      getJwks({ keyRing, publishAheadMs: needs.policy.publishAheadMs }),
      listSigningKeys(deps),
      rotateSigningKey(deps),
      previewSigningKeyRemoval(deps),
      removeSigningKey(deps),
    ],
    subscriptions: [reloadOnJwksUpdated({ keyRing, log })],
    jobs: [rotateSigningKeys(deps)],
  }
}
