type Seen = Map<object, Set<object>>

/** True where both hold the same, as `util.isDeepStrictEqual` has it. */
export function isDeepStrictEqual(one: unknown, other: unknown): boolean {
  return isEqual(one, other, new Map())
}

function isEqual(one: unknown, other: unknown, seen: Seen): boolean {
  if (Object.is(one, other)) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false
  // Those that are being compared further out: a circle is equal to a circle.
  const known = seen.get(one) ?? new Set()
  if (known.has(other)) return true
  seen.set(one, known.add(other))
  return hasSameContents(one, other, seen) && hasSameProperties(one, other, seen)
}

function hasSameContents(one: object, other: object, seen: Seen): boolean {
  if (one instanceof Date) return Object.is(one.getTime(), (other as Date).getTime())
  if (one instanceof RegExp) return String(one) === String(other)
  if (one instanceof Error)
    return one.name === (other as Error).name && one.message === (other as Error).message
  if (one instanceof Map) return isSameMap(one, other as Map<unknown, unknown>, seen)
  if (one instanceof Set) return isSameSet(one, other as Set<unknown>, seen)
  if (one instanceof ArrayBuffer)
    return isEqual(new Uint8Array(one), new Uint8Array(other as ArrayBuffer), seen)
  const value = one.valueOf()
  return value === one || Object.is(value, other.valueOf())
}

function isSameMap(one: Map<unknown, unknown>, other: Map<unknown, unknown>, seen: Seen): boolean {
  return (
    one.size === other.size &&
    [...one].every(([key, value]) =>
      other.has(key)
        ? isEqual(value, other.get(key), seen)
        : [...other].some((entry) => isEqual([key, value], entry, seen)),
    )
  )
}

const isSameSet = (one: Set<unknown>, other: Set<unknown>, seen: Seen): boolean =>
  one.size === other.size &&
  [...one].every((value) => other.has(value) || [...other].some((found) => isEqual(value, found, seen)))

function hasSameProperties(one: object, other: object, seen: Seen): boolean {
  const [names, others] = [one, other].map((object) =>
    Reflect.ownKeys(object).filter((name) => Object.prototype.propertyIsEnumerable.call(object, name)),
  ) as [(string | symbol)[], (string | symbol)[]]
  return (
    names.length === others.length &&
    names.every(
      (name) => Object.hasOwn(other, name) && isEqual(Reflect.get(one, name), Reflect.get(other, name), seen),
    )
  )
}
