import { Failure, isRecord } from '@platform/kernel'

/**
 * Variables are values: reading one and changing it later never changes what was read. Objects made here by a write
 * belong to one place only (`owned`) and are changed where they are; whatever was read in between is shared and
 * copied before the first change.
 */
export type Owned = WeakSet<object>

type Segment = string | number
type Container = Record<Segment, unknown>

/** Farther than this behind the end of a list nothing can be put: a typing error must not fill the memory. */
const MAX_GAP = 10_000

/** A list merged with itself doubles: a few rounds of that must not fill the memory either. */
const MAX_ITEMS = 1_000_000

/** `target` after `change` at `path[at…]`; what is missing on the way is made. */
export function writePath(
  target: unknown,
  path: readonly Segment[],
  at: number,
  change: (before: unknown) => unknown,
  owned: Owned,
): unknown {
  const key = path[at]
  if (key === undefined) return change(target)
  const container = containerFor(target, key, owned)
  if (Array.isArray(container)) requireIndex(container, key)
  const slots = container as Container
  slots[key] = writePath(Object.hasOwn(slots, key) ? slots[key] : undefined, path, at + 1, change, owned)
  return container
}

/** `target` without what is at `path[at…]`; nothing happens when it isn't there. */
export function removePath(target: unknown, path: readonly Segment[], at: number, owned: Owned): unknown {
  const key = path[at]
  if (key === undefined || typeof target !== 'object' || target === null || !Object.hasOwn(target, key))
    return target
  const container = ownedCopy(target, owned)
  const slots = container as Container
  if (at < path.length - 1) slots[key] = removePath(slots[key], path, at + 1, owned)
  else if (Array.isArray(container)) container.splice(Number(key), 1)
  else delete slots[key]
  return container
}

/** Puts a value behind the last one of a list, which is made when there is none. */
export function pushed(before: unknown, value: unknown, owned: Owned): unknown {
  if (before === undefined || before === null) return newOwned([value], owned)
  if (!Array.isArray(before))
    throw invalidName('A value can only be pushed to a list; the variable holds something else.')
  const list = ownedCopy(before, owned)
  if (Array.isArray(list)) list.push(value)
  return list
}

/** Objects get the fields of `value`, if it has any, and lists its items; anything else is replaced. */
export function merged(before: unknown, value: unknown, owned: Owned): unknown {
  if (Array.isArray(before)) {
    requireLength(before.length + (Array.isArray(value) ? value.length : 1))
    return newOwned(withSharedItems(before.concat(value), owned), owned)
  }
  if (!isRecord(before)) return value
  if (!isRecord(value)) return before
  return newOwned(withSharedItems({ ...before, ...value }, owned), owned)
}

/** What was read is shared from now on. */
export function share(value: unknown, owned: Owned): unknown {
  if (typeof value === 'object' && value !== null) owned.delete(value)
  return value
}

function containerFor(target: unknown, key: Segment, owned: Owned): object {
  if (typeof target === 'object' && target !== null) return ownedCopy(target, owned)
  return newOwned(typeof key === 'number' ? [] : {}, owned)
}

/** A copy shares what it holds with the original, so the items are nobody's own any more. */
function ownedCopy(target: object, owned: Owned): object {
  if (owned.has(target)) return target
  const copy: object = Array.isArray(target) ? [...target] : { ...target }
  return newOwned(withSharedItems(copy, owned), owned)
}

function withSharedItems<T extends object>(value: T, owned: Owned): T {
  for (const item of Array.isArray(value) ? value : Object.values(value)) share(item, owned)
  return value
}

function newOwned<T extends object>(value: T, owned: Owned): T {
  owned.add(value)
  return value
}

function requireIndex(list: readonly unknown[], key: Segment): void {
  const index = typeof key === 'number' ? key : /^\d{1,15}$/.test(key) ? Number(key) : -1
  if (index >= 0 && index <= list.length + MAX_GAP) return
  throw invalidName(`"${String(key).slice(0, 60)}" is no position of the list it is used on.`)
}

function requireLength(length: number): void {
  if (length <= MAX_ITEMS) return
  const message = `A list would have ${length} items; ${MAX_ITEMS} are allowed.`
  throw new Failure('PayloadTooLarge', message, { details: { max: MAX_ITEMS } })
}

const invalidName = (message: string) => new Failure('InvalidVariableNameError', message)
