import { previewSigningKeyRemoval as endpoint, type ResponseInputOf } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { type Clock, Failure } from '@platform/kernel'
import { stateOf } from './present-signing-key.ts'
import type { SessionsByKeyStore } from './sessions-by-key-store.ts'
import { type KeyPolicy, signerWithout } from './signing-key.ts'
import type { SigningKeyStore } from './signing-key-store.ts'

export interface PreviewNeeds {
  signingKeys: Pick<SigningKeyStore, 'list'>
  sessionsByKey: Pick<SessionsByKeyStore, 'findOfKid'>
  policy: KeyPolicy
  clock: Clock
}

/** Whom the removal of a key signs out. Throws ObjectNotFoundError for a key that is not there. */
export async function previewRemoval(
  { signingKeys, sessionsByKey, policy, clock }: PreviewNeeds,
  kid: string,
): Promise<ResponseInputOf<typeof endpoint>> {
  const keys = await signingKeys.list()
  const key = keys.find((one) => one.kid === kid)
  if (key === undefined)
    throw new Failure('ObjectNotFoundError', 'No signing key has this id: list them to see which there are.')
  const behind = await sessionsByKey.findOfKid(kid, clock.now())
  return { kid, state: stateOf(key), ...behind, successor: signerWithout(keys, kid, policy) ?? null }
}

export const previewSigningKeyRemoval = (deps: PreviewNeeds) =>
  route(endpoint, {
    handle: async ({ params }) =>
      respond(await previewRemoval(deps, params.kid), { headers: { 'cache-control': 'no-store' } }),
  })
