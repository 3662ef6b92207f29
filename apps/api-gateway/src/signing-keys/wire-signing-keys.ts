import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Outbox } from '@platform/outbox'
import { type MasterKey, masterKeyRing } from '../master-keys/master-keys.ts'
import { getJwks } from './get-jwks.ts'
import { KeyRing } from './key-ring.ts'
import { rotateSigningKeys } from './rotate-signing-keys.ts'
import { sealedKeys } from './sealed-keys.ts'
import type { KeyPolicy } from './signing-key.ts'
import { signingKeyStore } from './signing-key-store.ts'
import { pollSigningKeys, reloadOnJwksUpdated } from './watch-signing-keys.ts'

interface Needs {
  database: Database
  outbox: Outbox
  clock: Clock
  log: Logger
  masterKeys: readonly MasterKey[]
  policy: KeyPolicy
}

/** The signing keys, for the composition root. Rejects when they can't be opened: a start with the wrong master key must not go on. */
export async function wireSigningKeys({ database, outbox, clock, log, masterKeys, policy }: Needs) {
  const signingKeys = signingKeyStore(database)
  const sealed = sealedKeys(masterKeyRing(masterKeys))
  const keyRing = new KeyRing(async () => (await signingKeys.list()).map(sealed.open), clock)
  await keyRing.reload()
  return {
    keyRing,
    routes: [getJwks({ keyRing })],
    subscriptions: [reloadOnJwksUpdated({ keyRing, log })],
    jobs: [
      rotateSigningKeys({ signingKeys, sealed, keyRing, outbox, clock, policy }),
      pollSigningKeys({ keyRing }),
    ],
  }
}
