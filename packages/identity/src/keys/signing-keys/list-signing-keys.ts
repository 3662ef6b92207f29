import { listSigningKeys as endpoint, type SigningKey } from '@platform/contracts'
import { respond, route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import { presentSigningKey } from './present-signing-key.ts'
import type { SessionsByKeyStore } from './sessions-by-key-store.ts'
import type { KeyPolicy } from './signing-key.ts'
import type { SigningKeyStore } from './signing-key-store.ts'

interface Needs {
  signingKeys: Pick<SigningKeyStore, 'list'>
  sessionsByKey: Pick<SessionsByKeyStore, 'countByKid'>
  policy: Pick<KeyPolicy, 'keepRotatedMs'>
  clock: Clock
}

/** Every key with what depends on it, the signing one first. */
export async function presentSigningKeys(deps: Needs): Promise<SigningKey[]> {
  const [keys, sessions] = await Promise.all([
    deps.signingKeys.list(),
    deps.sessionsByKey.countByKid(deps.clock.now()),
  ])
  const { keepRotatedMs } = deps.policy
  return keys.map((key) => presentSigningKey(key, { sessions: sessions.get(key.kid) ?? 0, keepRotatedMs }))
}

export const listSigningKeys = (deps: Needs) =>
  route(endpoint, {
    handle: async () => respond(await presentSigningKeys(deps), { headers: { 'cache-control': 'no-store' } }),
  })
