import { type RunTokenDeps, runTokenCredential } from '@platform/auth'
import { runtimeJwksUpdated } from '@platform/contracts'
import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Part } from '@platform/service'
import { KeyRing, LOOK_MS, reloadOn } from '@platform/signing-keys'
import type { IdentityConfig } from '../identity-env.ts'
import { runtimeKeyStore } from './runtime-key-store.ts'

interface Needs {
  database: Database
  config: Pick<IdentityConfig, 'issuer' | 'apiUrl'>
  open: RunTokenDeps['open']
  clock: Clock
  log: Logger
}

/**
 * What the gateway checks the tokens of runs with: the keys of the runtime, read again on its word, when an unknown one
 * is met, and every ten seconds, so that one that is deleted by hand is forgotten within 30 s.
 */
export async function openRunTokens({ database, config, open, clock, log }: Needs) {
  const store = runtimeKeyStore(database)
  const keyRing = new KeyRing(store.list, clock)
  await keyRing.reload()
  const part: Part = {
    subscriptions: [reloadOn(runtimeJwksUpdated, { keyRing, log })],
    jobs: [{ name: 'reload-runtime-keys', everyMs: LOOK_MS, run: () => keyRing.reload() }],
  }
  const credential = runTokenCredential({
    issuer: config.issuer,
    audience: config.apiUrl,
    findKey: (kid) => keyRing.find(kid) ?? keyRing.findOrReload(kid),
    open,
  })
  return { credential, part }
}
