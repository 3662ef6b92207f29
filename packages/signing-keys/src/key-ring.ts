import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Jwks } from '@platform/contracts'
import { type Clock, StoreError } from '@platform/kernel'
import { type PrivateJwk, publicJwkOf, type RingKey } from './signing-key.ts'

/** What signs new JWTs. */
export interface Signer {
  readonly kid: string
  readonly alg: string
  readonly privateKey: KeyObject
}

/** What verifies a JWT; its algorithm is fixed with it. */
export interface Verifier {
  readonly alg: string
  readonly publicKey: KeyObject
}

interface Contents {
  signer: Signer | undefined
  verifiers: ReadonlyMap<string, Verifier>
  jwks: Jwks
  privateJwks: PrivateJwk[]
  kids: string
}

const nothing: Contents = {
  signer: undefined,
  verifiers: new Map(),
  jwks: { keys: [] },
  privateJwks: [],
  kids: '',
}

/** Pause between two reloads that unknown key ids may cause. */
const UNKNOWN_KID_PAUSE_MS = 1000
/**
 * Callers with an unknown key id who may wait for the next reload at the same time: more than ever come with a key
 * that was just made, and too few for a flood to hold connections with. The others are 503 at once: their token was
 * not checked, so it can't be called bad.
 */
const UNKNOWN_KID_WAITERS = 200

/**
 * The signing keys of the platform in memory. Filled from the database at start, on announcements, by a poll and when
 * an unknown key id is met; between that it answers without asking anybody, so verification goes on when the database
 * is down.
 */
export class KeyRing {
  readonly #load: () => Promise<RingKey[]>
  readonly #clock: Clock
  readonly #listeners = new Set<() => void>()
  #contents = nothing
  #loading: Promise<void> | undefined
  /** Somebody asked and no round has begun since. */
  #again = false
  /** When a reload for an unknown key id last began. */
  #askedForUnknownAt = Number.NEGATIVE_INFINITY
  /** The reload that has not begun yet, for everybody who meets an unknown key id until then. */
  #nextForUnknown: Promise<void> | undefined
  #waiters = 0

  /** `load` answers the keys that are published now, the signing one first. */
  constructor(load: () => Promise<RingKey[]>, clock: Clock) {
    this.#load = load
    this.#clock = clock
  }

  /** The key that signs now. Throws StoreError (503) while no key could be loaded. */
  signing(): Signer {
    if (this.#contents.signer === undefined) throw noKeys()
    return this.#contents.signer
  }

  /** False while there is no key that signs. */
  get canSign(): boolean {
    return this.#contents.signer !== undefined
  }

  /** The published key with this id. */
  find(kid: string): Verifier | undefined {
    return this.#contents.verifiers.get(kid)
  }

  /**
   * As `find`; for an unknown id the keys are loaded again, at most once a second however many ask. Who comes within
   * the second waits for the next time: the key may be seconds old, made by an instance whose announcement did not
   * come through. Rejects with StoreError (503) when too many wait already.
   */
  async findOrReload(kid: string): Promise<Verifier | undefined> {
    const known = this.find(kid)
    if (known !== undefined) return known
    if (this.#waiters >= UNKNOWN_KID_WAITERS) throw notChecked()
    this.#waiters += 1
    try {
      this.#nextForUnknown ??= this.#reloadForUnknown()
      await this.#nextForUnknown
    } finally {
      this.#waiters -= 1
    }
    return this.find(kid)
  }

  async #reloadForUnknown(): Promise<void> {
    const sinceMs = Math.abs(this.#clock.now().getTime() - this.#askedForUnknownAt)
    await pause(Math.max(0, UNKNOWN_KID_PAUSE_MS - sinceMs))
    this.#nextForUnknown = undefined
    this.#askedForUnknownAt = this.#clock.now().getTime()
    await this.reload()
  }

  /** The public keys, and nothing else of them. Throws StoreError (503) while no key could be loaded. */
  jwks(): Jwks {
    if (this.#contents.jwks.keys.length === 0) throw noKeys()
    return this.#contents.jwks
  }

  /** All keys with their private members, the signing one first: what the OIDC server signs with. */
  privateJwks(): PrivateJwk[] {
    return this.#contents.privateJwks
  }

  /**
   * Loads the keys; callers that come while it runs share one further round, since the running one may have read
   * before what they heard of. Keeps the old keys when the database does not answer.
   */
  reload(): Promise<void> {
    this.#again = true
    this.#loading ??= this.#refillWhileAsked()
    return this.#loading
  }

  /** Whoever asks after the last look at `#again` finds no round running: nothing happens between the two. */
  async #refillWhileAsked(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false
        await this.#refill()
      }
    } finally {
      this.#loading = undefined
    }
  }

  /** Calls `listener` after the set of keys or the signing key has changed. Answers how to stop that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async #refill(): Promise<void> {
    const keys = await this.#load()
    const kids = keys.map((key) => `${key.kid} ${key.signs}`).join()
    if (kids === this.#contents.kids) return
    this.#contents = contentsOf(keys, kids)
    for (const listener of this.#listeners) listener()
  }
}

/** Keys are imported once here: per request that would cost more than the signature. */
function contentsOf(keys: RingKey[], kids: string): Contents {
  const signing = keys.find((key) => key.signs)
  const verifiers = keys.map(({ kid, alg, jwk }) => {
    const publicKey = createPublicKey({ key: publicJwkOf(jwk), format: 'jwk' })
    return [kid, { alg, publicKey }] as const
  })
  return {
    signer: signing && {
      kid: signing.kid,
      alg: signing.alg,
      privateKey: createPrivateKey({ key: signing.jwk, format: 'jwk' }),
    },
    verifiers: new Map(verifiers),
    jwks: { keys: keys.map((key) => publicJwkOf(key.jwk)) },
    privateJwks: keys.toSorted((a, b) => Number(b.signs) - Number(a.signs)).map((key) => key.jwk),
    kids,
  }
}

/** Without its key nobody can be told that their token is bad: the check can't be done. */
class KeysMissing extends StoreError {
  override readonly name = 'DatabaseError'
}

const notChecked = () =>
  new KeysMissing('Too many tokens with unknown keys wait for the keys to be read again.', {
    unavailable: true,
  })

const noKeys = () =>
  new KeysMissing('No signing key could be loaded from the database yet.', { unavailable: true })
