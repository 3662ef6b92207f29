import { gatewayJwksUpdated, runtimeJwksUpdated } from '@platform/contracts'
import { type Clock, MINUTE_MS } from '@platform/kernel'
import type { Outbox } from '@platform/outbox'
import type { Job } from '@platform/service'
import { generateSigningKey } from './key-material.ts'
import type { KeyRing } from './key-ring.ts'
import type { SealedKeys } from './sealed-keys.ts'
import {
  isIdle,
  type KeyPolicy,
  kindOf,
  type PrivateJwk,
  planRotation,
  type RotationPlan,
} from './signing-key.ts'
import type { SigningKeyQuestions, SigningKeyStore } from './signing-key-store.ts'

/** What the rotation works with. */
export interface RotationDeps {
  signingKeys: SigningKeyStore
  sealed: SealedKeys
  keyRing: KeyRing
  outbox: Outbox
  clock: Clock
  policy: KeyPolicy
}

const source = { host: { service: 'api-gateway' } }

/** Makes the next signing key ahead of time, lets it sign when due, drops keys nothing valid depends on. Any instance may run it. */
export const rotateSigningKeys = (deps: RotationDeps): Job => ({
  name: 'rotate-signing-keys',
  everyMs: MINUTE_MS,
  requiredAtStart: true,
  run: () => rotate(deps),
})

/** One look at the keys, and what has to be done. */
export async function rotate(deps: RotationDeps): Promise<void> {
  const now = deps.clock.now()
  const plan = planRotation(await deps.signingKeys.list(), now, deps.policy)
  if (!isIdle(plan)) await changeKeys(deps, now, plan)
  await deps.keyRing.reload()
}

async function changeKeys(deps: RotationDeps, now: Date, plan: RotationPlan): Promise<void> {
  // Making an RSA key takes up to a second, so it is not done while others wait for the lock.
  const fresh = plan.publish ? await generateSigningKey(deps.policy) : undefined
  await deps.signingKeys.exclusively(async (keys, tx) => {
    // Another instance may have done it between the look and the lock.
    const change = await apply(planRotation(await keys.list(), now, deps.policy), { keys, fresh, now, deps })
    if (change.created.length === 0 && change.deleted.length === 0) return
    await deps.outbox.add(tx, gatewayJwksUpdated, change, source)
    await deps.outbox.add(tx, runtimeJwksUpdated, change, source)
  })
}

interface Change {
  keys: SigningKeyQuestions
  fresh: PrivateJwk | undefined
  now: Date
  deps: RotationDeps
}

/** Answers the ids that are published from now on or that began to sign, and those that are gone. */
async function apply(plan: RotationPlan, change: Change): Promise<{ created: string[]; deleted: string[] }> {
  const created = plan.publish ? await publish(change) : undefined
  const signer = plan.sign ?? ((await hasSigner(change.keys)) ? undefined : created)
  if (signer !== undefined) await change.keys.letSign(signer, change.now)
  if (plan.remove.length > 0) await change.keys.remove(plan.remove)
  return { created: [...new Set([created, signer].filter((kid) => kid !== undefined))], deleted: plan.remove }
}

async function publish({ keys, fresh, now, deps }: Change): Promise<string | undefined> {
  if (fresh === undefined) return undefined
  const { kid, alg } = fresh
  await keys.insert({
    kid,
    alg,
    kind: kindOf(deps.policy),
    sealedJwk: deps.sealed.seal(fresh),
    publishedAt: now,
  })
  return kid
}

const hasSigner = async (keys: SigningKeyQuestions): Promise<boolean> =>
  (await keys.list()).some((key) => key.signsSince !== undefined && key.rotatedAt === undefined)
