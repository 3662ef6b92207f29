import { type JsonWebKey, randomBytes } from 'node:crypto'
import type { PublicJwk, ServiceName, SigningKeysUpdated } from '@platform/contracts'

/** A key with its private members; it never leaves the process except sealed. */
export type PrivateJwk = JsonWebKey & { kty: string; kid: string; alg: string; use: 'sig' }

/** A published key, opened. */
export interface RingKey {
  kid: string
  alg: string
  signs: boolean
  jwk: PrivateJwk
}

const publicMembers = ['kty', 'kid', 'alg', 'use', 'n', 'e', 'crv', 'x', 'y'] as const

/** The public key of a pair: an allow list, so that a private member can't slip through. */
export function publicJwkOf(jwk: PrivateJwk): PublicJwk {
  const published: Record<string, unknown> = {}
  for (const member of publicMembers) if (jwk[member] !== undefined) published[member] = jwk[member]
  return { ...published, kty: jwk.kty, kid: jwk.kid, alg: jwk.alg, use: 'sig' }
}

/** When a key was published, when it began and when it stopped signing. */
export interface SigningKeyTimes {
  kid: string
  alg: string
  /** Kind and size in one text, for example `RSA 2048`. */
  kind: string
  publishedAt: Date
  /** Absent while it waits for its turn. */
  signsSince: Date | undefined
  rotatedAt: Date | undefined
  /** Set when an operator asked for its rotation. */
  dueAt?: Date | undefined
}

/** The keys that a service signs with: where they are kept, and who is told of a change. */
export interface KeyPlace {
  /** With its schema, for example `gateway.signing_keys`. */
  readonly table: string
  /** The column that shows the public half to whoever verifies by this table. */
  readonly publishesIn?: string
  readonly service: ServiceName
  /** Emitted with each change. */
  readonly announcements: readonly SigningKeysUpdated[]
  /** Told by the audit trail beside each change. */
  readonly auditDetails?: Readonly<Record<string, unknown>>
}

/** What the operator wants of signing keys. */
export interface KeyPolicy {
  kty: 'RSA' | 'EC'
  alg: string
  size: number
  rotationMs: number
  publishAheadMs: number
  /** How long a rotated key stays published: the longest a JWT may live, and a little more. */
  keepRotatedMs: number
}

/** What is to be done now. */
export interface RotationPlan {
  /** A successor is to be made and published. */
  publish: boolean
  /** The key that signs from now on. */
  sign: string | undefined
  /** Keys nothing valid depends on any more. */
  remove: string[]
}

/** Kind and size a policy asks for. */
export const kindOf = (policy: { kty: string; size: number }): string => `${policy.kty} ${policy.size}`

/**
 * Decides the next steps: a successor is published ahead of the rotation,
 * signs when its lead is over and the old key is due, and rotated keys are removed when the last JWT they signed has
 * expired.
 */
export function planRotation(keys: readonly SigningKeyTimes[], now: Date, policy: KeyPolicy): RotationPlan {
  const current = keys.find((key) => key.signsSince !== undefined && key.rotatedAt === undefined)
  const waiting = keys.find((key) => key.signsSince === undefined && isAsked(key, policy))
  const remove = keys
    .filter((key) => isOutlived(key, now, policy) || isStaleSuccessor(key, policy))
    .map((key) => key.kid)
  if (current === undefined) return { publish: waiting === undefined, sign: waiting?.kid, remove }

  const dueAt = dueTime(current, now, policy)
  const publish = waiting === undefined && now.getTime() >= dueAt - policy.publishAheadMs
  const ready =
    waiting !== undefined && now.getTime() >= waiting.publishedAt.getTime() + policy.publishAheadMs
  return { publish, sign: ready && now.getTime() >= dueAt ? waiting.kid : undefined, remove }
}

/** When a key is to be replaced: by age, because an operator said so, or now, because another kind is asked for. */
export function dueTime(key: SigningKeyTimes, now: Date, policy: KeyPolicy): number {
  if (!isAsked(key, policy)) return now.getTime()
  const byAge = (key.signsSince ?? now).getTime() + policy.rotationMs
  return key.dueAt === undefined ? byAge : Math.min(byAge, key.dueAt.getTime())
}

/** The key that signs when `kid` is no longer there; undefined where one has to be made. */
export function signerWithout(
  keys: readonly SigningKeyTimes[],
  kid: string,
  policy: KeyPolicy,
): string | undefined {
  const others = keys.filter((key) => key.kid !== kid)
  const signer = others.find((key) => key.signsSince !== undefined && key.rotatedAt === undefined)
  return (signer ?? others.find((key) => key.signsSince === undefined && isAsked(key, policy)))?.kid
}

/** True when a plan changes nothing. */
export const isIdle = (plan: RotationPlan): boolean =>
  !plan.publish && plan.sign === undefined && plan.remove.length === 0

const isAsked = (key: SigningKeyTimes, policy: KeyPolicy) =>
  key.alg === policy.alg && key.kind === kindOf(policy)

const isOutlived = (key: SigningKeyTimes, now: Date, policy: KeyPolicy) =>
  key.rotatedAt !== undefined && now.getTime() >= key.rotatedAt.getTime() + policy.keepRotatedMs

/** A successor made before the operator asked for another kind never signs. */
const isStaleSuccessor = (key: SigningKeyTimes, policy: KeyPolicy) =>
  key.signsSince === undefined && !isAsked(key, policy)

/** Makes a key pair with a random 43-character id. Slow for RSA: never inside a transaction. */
export async function generateSigningKey(policy: KeyPolicy): Promise<PrivateJwk> {
  const size = policy.kty === 'RSA' ? policy.size : `P-${policy.size}`
  const options = { kid: randomKid(), alg: policy.alg, use: 'sig' }
  // Half a megabyte that most starts don't need: they have their keys.
  const { default: jose } = await import('node-jose')
  // The types of node-jose know sizes as numbers only; curves are names.
  const key = await jose.JWK.createKey(policy.kty, size as number, options)
  return key.toJSON(true) as PrivateJwk
}

/** An operator types it as an argument, so it does not begin like an option. */
function randomKid(): string {
  const kid = randomBytes(32).toString('base64url')
  return /^\w/.test(kid) ? kid : randomKid()
}
