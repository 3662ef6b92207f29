import type { Clock } from '@platform/kernel'
import { type StoredChange, withChange } from '../contexts/context-changes.ts'
import type { StoredPatch } from '../contexts/context-store.ts'
import type { StoredContext, StoredValues } from '../contexts/contexts.ts'
import { storableJson } from '../contexts/storable.ts'

interface Stored {
  content: Readonly<Record<string, unknown>>
  expiries: Readonly<Record<string, number>>
  endsMs: number
}

/** The stored contexts of one test, in memory. */
export class TestContexts {
  readonly #clock: Clock
  readonly #stored = new Map<string, Stored>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** What is there before the test. */
  put(context: StoredContext, owner: string, values: Readonly<Record<string, unknown>>): void {
    const never = Number.POSITIVE_INFINITY
    this.#stored.set(keyOf(context, owner), { content: plain(values), expiries: {}, endsMs: never })
  }

  readonly load = async (
    _workspaceId: string,
    context: StoredContext,
    owner: string,
  ): Promise<StoredValues> => ({
    values: this.contentOf(context, owner),
    ending: Object.keys(this.#stored.get(keyOf(context, owner))?.expiries ?? {}),
  })

  /** As an automation would read it now; a copy. */
  contentOf(context: StoredContext, owner: string): Record<string, unknown> {
    const found = this.#stored.get(keyOf(context, owner))
    const nowMs = this.#clock.now().getTime()
    if (found === undefined || found.endsMs <= nowMs) return {}
    const { content, expiries } = found
    return plain(
      Object.fromEntries(
        Object.entries(content).filter(([key]) => (expiries[key] ?? Number.POSITIVE_INFINITY) > nowMs),
      ),
    )
  }

  apply(patches: readonly StoredPatch[]): void {
    for (const { context, owner, content, removed, changes = [], expiries, ttlSeconds } of patches) {
      const before = this.contentOf(context, owner)
      const gone = new Set(removed)
      const kept = Object.entries(before).filter(([key]) => !gone.has(key))
      const ends = { ...this.#stored.get(keyOf(context, owner))?.expiries, ...expiries }
      const nowMs = this.#clock.now().getTime()
      this.#stored.set(keyOf(context, owner), {
        content: withChanges({ ...Object.fromEntries(kept), ...plain(content) }, changes),
        expiries: Object.fromEntries(
          Object.entries(ends).flatMap(([key, ms]) => (ms === null || gone.has(key) ? [] : [[key, ms]])),
        ),
        endsMs: ttlSeconds === undefined ? Number.POSITIVE_INFINITY : nowMs + ttlSeconds * 1000,
      })
    }
  }
}

/** With parts of keys changed, as the database does it. */
function withChanges(
  content: Record<string, unknown>,
  changes: readonly StoredChange[],
): Record<string, unknown> {
  const changed = { ...content }
  for (const change of changes) {
    const key = String(change.path[0])
    const value = withChange(changed[key], plain(change))
    if (value !== undefined) changed[key] = value
  }
  return changed
}

const keyOf = (context: StoredContext, owner: string): string => JSON.stringify([context, owner])

/** As a store would give it back. */
const plain = <T>(value: T): T => JSON.parse(storableJson(value)) as T
