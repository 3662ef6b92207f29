/** A bounded memory of recent results, keyed by text. */
export interface Cache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
}

/** Two generations instead of a linked list: a hit costs one map lookup, and what is not asked for again is dropped. */
export function createCache<Value>(capacity: number, longestKey = 10_000): Cache<Value> {
  let recent = new Map<string, Value>()
  let older = new Map<string, Value>()
  const set = (key: string, value: Value) => {
    if (key.length > longestKey) return
    if (recent.size >= capacity) {
      older = recent
      recent = new Map()
    }
    recent.set(key, value)
  }
  const get = (key: string) => {
    const hit = recent.get(key)
    if (hit !== undefined) return hit
    const old = older.get(key)
    if (old !== undefined) set(key, old)
    return old
  }
  return { get, set }
}
