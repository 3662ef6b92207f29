import { atMost, StoreBudget, withStoreBudget } from '@platform/kernel'
import { LRUCache } from 'lru-cache'
import type { Authentication } from './authentication.ts'

/** How many ids that were forgotten lately are known, to catch checks that were under way meanwhile. */
const FORGOTTEN_MAX = 10_000

/**
 * Characters at the end of a credential that find its entry: each arrives as a new string, and hashing a whole JWT
 * costs a microsecond.
 */
const TAIL_CHARACTERS = 43

const tailOf = (credential: string): string => credential.slice(-TAIL_CHARACTERS)

interface Entry {
  credential: string
  caller: Authentication
}

/**
 * Checked credentials, so that a signature is verified and a session is read once and not per request. An entry is
 * found by the end of its credential and compared with all of it, so one can't be taken for another. It ends with its
 * credential, or when something it depends on is forgotten.
 */
export class AuthenticationCache {
  readonly #entries: LRUCache<string, Entry>
  readonly #tailsOf = new Map<string, Set<string>>()
  readonly #checking = new Map<string, Promise<Authentication>>()
  readonly #forgottenAt = new LRUCache<string, number>(atMost(FORGOTTEN_MAX))
  #version = 0
  #clearedAt = 0
  /** How often a credential was known, and how often it was not. */
  hits = 0
  misses = 0

  constructor(max: number) {
    this.#entries = new LRUCache({
      ...atMost(max),
      dispose: ({ caller }, tail) => this.#unlink(caller, tail),
    })
  }

  /** The caller of a credential that was checked before and has not ended. */
  find(credential: string, nowMs: number): Authentication | undefined {
    const tail = tailOf(credential)
    const entry = this.#entries.get(tail)
    if (entry !== undefined && entry.credential === credential) {
      if (entry.caller.expiresAt > nowMs) {
        this.hits += 1
        return entry.caller
      }
      this.#entries.delete(tail)
    }
    this.misses += 1
    return undefined
  }

  /** True for a credential that is kept, be it that it has ended since; it counts as no use of the cache. */
  has(credential: string): boolean {
    return this.#entries.peek(tailOf(credential))?.credential === credential
  }

  /** Credentials that are known now. */
  get size(): number {
    return this.#entries.size
  }

  /** Checks a credential and keeps the outcome; those who present the same one meanwhile wait for the same check. */
  check(credential: string, make: () => Promise<Authentication>): Promise<Authentication> {
    const running = this.#checking.get(credential)
    if (running !== undefined) return running
    const startedAt = this.#version
    // It is shared by all who wait for it, so no request's own budget is spent on it.
    const checking: Promise<Authentication> = withStoreBudget(new StoreBudget(), make)
      .then((caller) => this.#keep(credential, caller, startedAt))
      .finally(() => {
        if (this.#checking.get(credential) === checking) this.#checking.delete(credential)
      })
    this.#checking.set(credential, checking)
    return checking
  }

  /** Drops every caller that depends on `id`. Who comes from now on joins no check that began before. */
  forget(id: string): void {
    this.#version += 1
    this.#checking.clear()
    this.#forgottenAt.set(id, this.#version)
    for (const tail of [...(this.#tailsOf.get(id) ?? [])]) this.#entries.delete(tail)
  }

  /** Drops every caller: after a time in which endings may have been missed. */
  clear(): void {
    this.#version += 1
    this.#clearedAt = this.#version
    this.#checking.clear()
    this.#entries.clear()
  }

  /** A check that began before something it depends on was forgotten may have read the old state: it is not kept. */
  #keep(credential: string, caller: Authentication, startedAt: number): Authentication {
    const isStale =
      this.#clearedAt > startedAt ||
      caller.dependsOn.some((id) => (this.#forgottenAt.get(id) ?? 0) > startedAt)
    if (isStale) return caller
    const tail = tailOf(credential)
    this.#entries.set(tail, { credential, caller })
    for (const id of caller.dependsOn) {
      const tails = this.#tailsOf.get(id) ?? new Set()
      this.#tailsOf.set(id, tails.add(tail))
    }
    return caller
  }

  #unlink(caller: Authentication, tail: string): void {
    for (const id of caller.dependsOn) {
      const tails = this.#tailsOf.get(id)
      tails?.delete(tail)
      if (tails?.size === 0) this.#tailsOf.delete(id)
    }
  }
}
