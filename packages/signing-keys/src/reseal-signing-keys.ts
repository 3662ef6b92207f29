import type { Database } from '@platform/database'
import { MINUTE_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { type MasterKeyRing, masterKeyIdOf } from '@platform/master-keys'
import type { Job } from '@platform/service'
import { sealContextOf } from './sealed-keys.ts'
import type { KeyPlace } from './signing-key.ts'
import { signingKeyStore } from './signing-key-store.ts'

interface Needs {
  database: Database
  masterKeys: MasterKeyRing
  place: KeyPlace
  log: Pick<Logger, 'error'>
}

/** Seals again, with the first master key, what another one has sealed, so that the other one may go. */
export const resealSigningKeys = ({ database, masterKeys, place, log }: Needs): Job => ({
  name: 'reseal-signing-keys',
  everyMs: 10 * MINUTE_MS,
  run: () =>
    signingKeyStore(database, place).exclusively(async (keys) => {
      const found = await keys.list()
      for (const { kid, sealedJwk } of found.filter(
        (key) => masterKeyIdOf(key.sealedJwk) !== masterKeys.currentId,
      ))
        try {
          const context = sealContextOf(place.table, kid)
          await keys.replaceSealed(kid, masterKeys.seal(masterKeys.open(sealedJwk, context), context))
        } catch (err) {
          log.error({ err, kid }, 'a signing key can not be opened, it stays as it is')
        }
    }),
})
