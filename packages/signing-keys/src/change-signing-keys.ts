import type { Audit, AuditEntry } from '@platform/audit'
import type { Queries } from '@platform/database'
import { type Clock, Failure } from '@platform/kernel'
import type { Outbox } from '@platform/outbox'
import type { KeyRing } from './key-ring.ts'
import type { SealedKeys } from './sealed-keys.ts'
import {
  generateSigningKey,
  isIdle,
  type KeyPlace,
  type KeyPolicy,
  kindOf,
  type PrivateJwk,
  planRotation,
  type RotationPlan,
} from './signing-key.ts'
import type { SigningKeyQuestions, SigningKeyStore, StoredKey } from './signing-key-store.ts'

/** What changes of the keys work with. */
export interface ChangeDeps {
  place: KeyPlace
  signingKeys: SigningKeyStore
  sealed: SealedKeys
  keyRing: KeyRing
  outbox: Outbox
  audit: Audit
  clock: Clock
  policy: KeyPolicy
}

/** What is asked for, beside what is due anyway, and by whom. */
export interface ChangeRequest {
  remove?: string
  /** The key that signs is replaced: `ahead` once its successor was published long enough, `now` at once. */
  rotate?: 'ahead' | 'now'
  by: Pick<AuditEntry, 'actor' | 'ip' | 'correlationId'>
}

/**
 * A key has to be made first. Making an RSA key takes up to seconds, so it is not done while others wait for the
 * lock.
 */
class FreshKeyNeeded extends Error {
  override readonly name = 'FreshKeyNeeded'
}

/**
 * Does what is asked for and what is due, with its events and the audit trail, in one transaction that one instance
 * has at a time; then loads the keys of this instance again. `made` is a key to publish, if one is needed; else it is
 * made meanwhile. Throws ObjectNotFoundError for a key that is not there.
 */
export async function changeSigningKeys(
  deps: ChangeDeps,
  request: ChangeRequest,
  made?: PrivateJwk,
): Promise<void> {
  for (let fresh = made; ; fresh = await generateSigningKey(deps.policy)) {
    try {
      await deps.signingKeys.exclusively((keys, tx) => new Change(deps, request, keys, fresh).make(tx))
      break
    } catch (error) {
      if (!(error instanceof FreshKeyNeeded)) throw error
    }
  }
  await deps.keyRing.reload()
}

/** One attempt, inside its transaction. */
class Change {
  readonly #deps: ChangeDeps
  readonly #request: ChangeRequest
  readonly #keys: SigningKeyQuestions
  readonly #now: Date
  #fresh: PrivateJwk | undefined
  #hasPublished = false
  readonly #created = new Set<string>()
  readonly #deleted: string[] = []
  readonly #trail: AuditEntry[] = []

  constructor(
    deps: ChangeDeps,
    request: ChangeRequest,
    keys: SigningKeyQuestions,
    fresh: PrivateJwk | undefined,
  ) {
    this.#deps = deps
    this.#request = request
    this.#keys = keys
    this.#fresh = fresh
    this.#now = deps.clock.now()
  }

  async make(tx: Queries): Promise<void> {
    const { rotate, remove } = this.#request
    if (remove !== undefined) await this.#removeAsked(remove)
    if (rotate !== undefined) await this.#keys.markDue(this.#now)
    // A step may make the next one possible: a key that was published may sign at once where no other does.
    for (;;) {
      const keys = await this.#keys.list()
      const plan = planRotation(keys, this.#now, this.#policy())
      if (isIdle(plan) || (plan.publish && this.#hasPublished)) break
      await this.#apply(plan, keys)
    }
    if (this.#trail.length > 0) await this.#tell(tx)
  }

  #policy(): KeyPolicy {
    const { policy } = this.#deps
    return this.#request.rotate === 'now' ? { ...policy, publishAheadMs: 0 } : policy
  }

  async #apply(plan: RotationPlan, keys: readonly StoredKey[]): Promise<void> {
    if (plan.remove.length > 0) await this.#removeOutlived(plan.remove, keys)
    if (plan.publish) await this.#publish()
    if (plan.sign !== undefined) await this.#letSign(plan.sign)
  }

  async #removeAsked(kid: string): Promise<void> {
    const key = (await this.#keys.list()).find((one) => one.kid === kid)
    if (key === undefined)
      throw new Failure(
        'ObjectNotFoundError',
        'No signing key has this id: list them to see which there are.',
      )
    await this.#remove([kid])
    this.#note('signingKey.removed', kid, { reason: 'removed by an operator' })
  }

  async #removeOutlived(kids: readonly string[], keys: readonly StoredKey[]): Promise<void> {
    await this.#remove(kids)
    for (const kid of kids) {
      const wasUsed = keys.find((key) => key.kid === kid)?.signsSince !== undefined
      const reason = wasUsed ? 'everything it signed has expired' : 'keys of another kind are asked for'
      this.#note('signingKey.removed', kid, { reason })
    }
  }

  async #remove(kids: readonly string[]): Promise<void> {
    await this.#keys.remove(kids)
    this.#deleted.push(...kids)
  }

  async #publish(): Promise<void> {
    if (this.#fresh === undefined) throw new FreshKeyNeeded()
    const { kid, alg } = this.#fresh
    const kind = kindOf(this.#deps.policy)
    await this.#keys.insert({
      jwk: this.#fresh,
      kind,
      sealedJwk: this.#deps.sealed.seal(this.#fresh),
      publishedAt: this.#now,
    })
    this.#hasPublished = true
    this.#created.add(kid)
    this.#note('signingKey.published', kid, { alg, kind })
  }

  async #letSign(kid: string): Promise<void> {
    const stopped = await this.#keys.letSign(kid, this.#now)
    this.#created.add(kid)
    this.#note('signingKey.rotated', kid, { replaces: stopped ?? null })
  }

  #note(action: AuditEntry['action'], kid: string, given: Record<string, unknown>): void {
    const details = { ...given, ...this.#deps.place.auditDetails }
    this.#trail.push({ ...this.#request.by, action, subject: `signingKey:${kid}`, details })
  }

  async #tell(tx: Queries): Promise<void> {
    const change = { created: [...this.#created], deleted: this.#deleted }
    const { announcements, service } = this.#deps.place
    for (const event of announcements) await this.#deps.outbox.add(tx, event, change, { host: { service } })
    await this.#deps.audit.record(tx, ...this.#trail)
  }
}
