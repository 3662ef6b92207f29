import { isRecord } from '@platform/kernel'
import { type Owned, removePath, share, writePath } from './write-path.ts'

export type Segment = string | number

/** A change of a part of a key, as it is stored; the path begins with the key. */
export type StoredChange = { readonly path: readonly Segment[] } & (
  | { readonly value: unknown }
  | { readonly removed: true }
  | { readonly pushed: readonly unknown[] }
)

/** How a write changes what is at its path. */
export interface Write {
  readonly type: 'replace' | 'merge' | 'push'
  readonly value: unknown
}

/** A path that was written: what is there now is stored, or behind what is there what was pushed. */
interface Written {
  readonly path: readonly Segment[]
  pushed: unknown[] | undefined
}

/** Parts of one key that are told apart; with more of them the key is stored as a whole. */
const MOST_PARTS = 50
/** Deeper parts are stored with what is around them. */
const DEEPEST = 20

/**
 * What a run has changed in a context since it was stored: whole keys, and parts of others. Other runs may change other
 * parts of the same key meanwhile, and push to the same list.
 */
export class ContextChanges {
  readonly #whole = new Set<string>()
  readonly #parts = new Map<string, Written[]>()

  get isEmpty(): boolean {
    return this.#whole.size === 0 && this.#parts.size === 0
  }

  get keys(): string[] {
    return [...this.#whole, ...this.#parts.keys()]
  }

  has(key: string): boolean {
    return this.#whole.has(key) || this.#parts.has(key)
  }

  /** `before` is what was at the path. */
  note(path: readonly Segment[], write: Write, before: unknown): void {
    const values = pushedBy(write, before)
    if (values !== undefined) this.#notePush(path, values)
    else if (write.type === 'merge' && isRecord(before) && isRecord(write.value)) {
      for (const field of Object.keys(write.value)) this.#noteSet([...path, field])
    } else this.#noteSet(path)
  }

  /** `isItem` for an item of a list: the others move up. What is around a part that this run has made stays. */
  noteRemoval(path: readonly Segment[], isItem: boolean): void {
    const parts = this.#parts.get(String(path[0])) ?? []
    const isMade = path.length > 1 && parts.some((one) => isWithin(one.path, path))
    this.#noteSet(isItem || isMade ? path.slice(0, -1) : path)
  }

  #noteSet(given: readonly Segment[]): void {
    const path = given.slice(0, DEEPEST)
    const key = String(path[0])
    if (this.#whole.has(key)) return
    const parts = this.#parts.get(key) ?? []
    const around = parts.find((one) => isWithin(path, one.path))
    // Which item of a list is meant that was pushed to can't be told from outside any more.
    if (around !== undefined) around.pushed = undefined
    const others = around === undefined ? parts.filter((one) => !isWithin(one.path, path)) : parts
    const isWhole = path.length === 1 || (around?.path.length === 1 && around.pushed === undefined)
    if (isWhole) this.#noteWhole(key)
    else if (around === undefined) this.#keep(key, [...others, { path, pushed: undefined }])
  }

  #notePush(path: readonly Segment[], values: readonly unknown[]): void {
    const key = String(path[0])
    if (this.#whole.has(key)) return
    const parts = this.#parts.get(key) ?? []
    const around = parts.find((one) => isWithin(path, one.path))
    const isSame = around !== undefined && around.path.length === path.length
    if (isSame && around.pushed !== undefined) around.pushed.push(...values)
    else if (around !== undefined || path.length > DEEPEST) this.#noteSet(path)
    else this.#keep(key, [...parts, { path: [...path], pushed: [...values] }])
  }

  #keep(key: string, parts: Written[]): void {
    if (parts.length > MOST_PARTS) this.#noteWhole(key)
    else this.#parts.set(key, parts)
  }

  #noteWhole(key: string): void {
    this.#whole.add(key)
    this.#parts.delete(key)
  }

  /** What another run has stored of a key meanwhile, with the changes of this one. */
  applied(key: string, stored: unknown, own: unknown, owned: Owned): unknown {
    const parts = this.#parts.get(key)
    if (parts === undefined) return own
    return parts
      .map((one) => changeOf(one, own))
      .reduce((value, change) => withChange(value, change, owned), share(stored, owned))
  }

  /** All of it, once: values and names of whole keys, and the other changes. */
  take(custom: Readonly<Record<string, unknown>>): {
    values: Record<string, unknown>
    removed: string[]
    changes: StoredChange[]
  } {
    const whole = [...this.#whole]
    const removed = whole.filter((key) => custom[key] === undefined)
    const kept = whole.filter((key) => custom[key] !== undefined)
    const values = Object.fromEntries(kept.map((key) => [key, custom[key]]))
    const changes = [...this.#parts].flatMap(([key, parts]) => parts.map((one) => changeOf(one, custom[key])))
    this.clear()
    return { values, removed, changes }
  }

  clear(): void {
    this.#whole.clear()
    this.#parts.clear()
  }
}

/** What a key holds after a change of a part of it. */
export function withChange(value: unknown, change: StoredChange, owned: Owned = new WeakSet()): unknown {
  const { path } = change
  if ('removed' in change) return removePath(value, path, 1, owned)
  if ('value' in change) return writePath(value, path, 1, () => change.value, owned)
  const push = (before: unknown) => [...(Array.isArray(before) ? before : []), ...change.pushed]
  return writePath(value, path, 1, push, owned)
}

function changeOf({ path: given, pushed }: Written, value: unknown): StoredChange {
  const path = given.map((segment, at) => asIn(partAt(value, given.slice(1, at)), segment, at))
  if (pushed !== undefined) return { path, pushed: [...pushed] }
  const now = partAt(value, path.slice(1))
  return now === undefined ? { path, removed: true } : { path, value: now }
}

/** A position in what is a list, else a name: where the containers are missing, they are made by that. */
const asIn = (container: unknown, segment: Segment, at: number): Segment => {
  if (at === 0 || typeof container !== 'object' || container === null) return segment
  return Array.isArray(container) ? Number(segment) : String(segment)
}

/** What is at a path in a value; undefined where it has no such part. */
export const partAt = (value: unknown, path: readonly Segment[]): unknown => path.reduce(partOf, value)

const partOf = (value: unknown, key: Segment): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<Segment, unknown>)[key]
    : undefined

/** The values that a write puts behind those of a list, where it does no more than that. */
function pushedBy({ type, value }: Write, before: unknown): readonly unknown[] | undefined {
  const isList = Array.isArray(before)
  if (type === 'push') return isList || before === undefined || before === null ? [value] : undefined
  if (type !== 'merge' || !isList) return undefined
  return Array.isArray(value) ? value : [value]
}

/** True for a path that is `outer` or goes on from it. */
const isWithin = (path: readonly Segment[], outer: readonly Segment[]): boolean =>
  outer.length <= path.length && outer.every((segment, at) => String(segment) === String(path[at]))
