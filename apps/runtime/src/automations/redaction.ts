/** Names of fields to leave out, down to where they are: `true` is the field itself. */
export type Paths = ReadonlyMap<string, Paths | true>

/** Paths as a tree, so that what lies around them is copied once. */
export function treeOf(paths: readonly (readonly string[])[]): Paths {
  const tree: Branch = new Map()
  for (const path of paths) {
    const last = path.at(-1)
    if (last !== undefined) branchTo(tree, path.slice(0, -1))?.set(last, true)
  }
  return tree
}

type Branch = Map<string, Branch | true>

/** The branch at a path; undefined when all of it is left out anyway. */
function branchTo(tree: Branch, path: readonly string[]): Branch | undefined {
  let branch = tree
  for (const key of path) {
    const inner = branch.get(key) ?? new Map()
    if (inner === true) return undefined
    branch.set(key, inner)
    branch = inner
  }
  return branch
}

/** A copy of `value` without what is at the paths; the same value where nothing is. */
export function withoutPaths(value: unknown, paths: Paths): unknown {
  if (paths.size === 0 || typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = { ...value }
  for (const [key, inner] of paths) {
    if (!Object.hasOwn(copy, key)) continue
    if (inner === true) delete copy[key]
    else copy[key] = withoutPaths(copy[key], inner)
  }
  return copy
}

/** The texts at `path` of `value`. */
export function textsAt(value: unknown, path: readonly string[]): string[] {
  let current = value
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return []
    current = Reflect.get(current, key)
  }
  return typeof current === 'string' && current !== '' ? [current] : []
}
