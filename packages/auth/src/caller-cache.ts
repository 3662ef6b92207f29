import { LRUCache } from 'lru-cache'
import type { Caller } from './caller.ts'

/** How many ids that were forgotten lately are known, to catch checks that were under way meanwhile. */
const FORGOTTEN_MAX = 10_000

/**
 * Checked credentials, so that a signature is verified and a session is read once and not per request. The key is the whole
 * credential, so one can't be taken for another. An entry ends with its credential, or when something it depends on is forgotten.
 */
export class CallerCache {
  readonly #callers: LRUCache<string, Caller>
  readonly #credentialsOf = new Map<string, Set<string>>()
  readonly #checking = new Map<string, Promise<Caller>>()
  readonly #forgottenAt = new LRUCache<string, number>({ max: FORGOTTEN_MAX })
  #version = 0
  #clearedAt = 0
  /** How often a credential was known, and how often it was not. */
  hits = 0
  misses = 0

  constructor(max: number) {
    this.#callers = new LRUCache({ max, dispose: (caller, credential) => this.#unlink(caller, credential) })
  }

  /** The caller of a credential that was checked before and has not ended. */
  find(credential: string, nowMs: number): Caller | undefined {
    const caller = this.#callers.get(credential)
    if (caller !== undefined && caller.expiresAt > nowMs) {
      this.hits += 1
      return caller
    }
    this.misses += 1
    if (caller !== undefined) this.#callers.delete(credential)
    return undefined
  }

  /** Credentials that are known now. */
  get size(): number {
    return this.#callers.size
  }

  /** Checks a credential and keeps the outcome; those who present the same one meanwhile wait for the same check. */
  check(credential: string, make: () => Promise<Caller>): Promise<Caller> {
    const running = this.#checking.get(credential)
    if (running !== undefined) return running
    const startedAt = this.#version
    const checking: Promise<Caller> = make()
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
    for (const credential of [...(this.#credentialsOf.get(id) ?? [])]) this.#callers.delete(credential)
  }

  /** Drops every caller: after a time in which endings may have been missed. */
  clear(): void {
    this.#version += 1
    this.#clearedAt = this.#version
    this.#checking.clear()
    this.#callers.clear()
  }

  /** A check that began before something it depends on was forgotten may have read the old state: it is not kept. */
  #keep(credential: string, caller: Caller, startedAt: number): Caller {
    const isStale =
      this.#clearedAt > startedAt ||
      caller.dependsOn.some((id) => (this.#forgottenAt.get(id) ?? 0) > startedAt)
    if (isStale) return caller
    this.#callers.set(credential, caller)
    for (const id of caller.dependsOn) {
      const credentials = this.#credentialsOf.get(id) ?? new Set()
      this.#credentialsOf.set(id, credentials.add(credential))
    }
    return caller
  }

  #unlink(caller: Caller, credential: string): void {
    for (const id of caller.dependsOn) {
      const credentials = this.#credentialsOf.get(id)
      credentials?.delete(credential)
      if (credentials?.size === 0) this.#credentialsOf.delete(id)
    }
  }
}
