import { actorOf } from '@platform/auth'
import {
  listSigningKeys as listSigningKeysContract,
  previewSigningKeyRemoval as previewSigningKeyRemovalContract,
  type ResponseInputOf,
  removeSigningKey as removeSigningKeyContract,
  rotateSigningKey as rotateSigningKeyContract,
  type SigningKey,
} from '@platform/contracts'
import { respond, route } from '@platform/http'
import { type Clock, Failure } from '@platform/kernel'
import {
  type ChangeDeps,
  changeSigningKeys,
  type KeyPolicy,
  type SigningKeyStore,
  signerWithout,
} from '@platform/signing-keys'
import { presentSigningKey, stateOf } from './present-signing-key.ts'
import type { SessionsByKeyStore } from './sessions-by-key-store.ts'

interface SigningKeyNeeds {
  signingKeys: Pick<SigningKeyStore, 'list'>
  sessionsByKey: Pick<SessionsByKeyStore, 'countByKid'>
  policy: Pick<KeyPolicy, 'keepRotatedMs'>
  clock: Clock
}

/** Every key with what depends on it, the signing one first. */
async function presentSigningKeys(deps: SigningKeyNeeds): Promise<SigningKey[]> {
  const [keys, sessions] = await Promise.all([
    deps.signingKeys.list(),
    deps.sessionsByKey.countByKid(deps.clock.now()),
  ])
  const { keepRotatedMs } = deps.policy
  return keys.map((key) => presentSigningKey(key, { sessions: sessions.get(key.kid) ?? 0, keepRotatedMs }))
}

export const listSigningKeys = (deps: SigningKeyNeeds) =>
  route(listSigningKeysContract, {
    handle: async () => respond(await presentSigningKeys(deps), { headers: { 'cache-control': 'no-store' } }),
  })

export const rotateSigningKey = (deps: ChangeDeps & { sessionsByKey: SessionsByKeyStore }) =>
  route(rotateSigningKeyContract, {
    async handle({ body, principal, request }) {
      const by = { actor: actorOf(principal), ip: request.clientIp, correlationId: request.correlationId }

      await changeSigningKeys(deps, { rotate: body?.immediately === true ? 'now' : 'ahead', by })

      return { keys: await presentSigningKeys(deps) }
    },
  })

export interface PreviewNeeds {
  signingKeys: Pick<SigningKeyStore, 'list'>
  sessionsByKey: Pick<SessionsByKeyStore, 'findOfKid'>
  policy: KeyPolicy
  clock: Clock
}

/** Whom the removal of a key signs out. Throws ObjectNotFoundError for a key that is not there. */
async function previewRemoval(
  { signingKeys, sessionsByKey, policy, clock }: PreviewNeeds,
  kid: string,
): Promise<ResponseInputOf<typeof previewSigningKeyRemovalContract>> {
  const keys = await signingKeys.list()
  const key = keys.find((one) => one.kid === kid)
  if (key === undefined)
    throw new Failure('ObjectNotFoundError', 'No signing key has this id: list them to see which there are.')
  const behind = await sessionsByKey.findOfKid(kid, clock.now())
  return { kid, state: stateOf(key), ...behind, successor: signerWithout(keys, kid, policy) ?? null }
}

export const previewSigningKeyRemoval = (deps: PreviewNeeds) =>
  route(previewSigningKeyRemovalContract, {
    handle: async ({ params }) =>
      respond(await previewRemoval(deps, params.kid), { headers: { 'cache-control': 'no-store' } }),
  })

/** Answers whom it has signed out, and the key that signs now. */
export const removeSigningKey = (deps: ChangeDeps & PreviewNeeds) =>
  route(removeSigningKeyContract, {
    async handle({ params, principal, request }) {
      const removal = await previewRemoval(deps, params.kid)
      const by = { actor: actorOf(principal), ip: request.clientIp, correlationId: request.correlationId }

      await changeSigningKeys(deps, { remove: params.kid, by })

      return { ...removal, successor: deps.keyRing.signing().kid }
    },
  })
