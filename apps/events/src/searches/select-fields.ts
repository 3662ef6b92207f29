import { keysOf } from '@platform/search'

type Document = Record<string, unknown>

/** Fields to keep, as a tree: true keeps all below. */
type Tree = Map<string, Tree | true>

/**
 * A document with the named fields only; a path leads through lists, and `payload.*` is the same as `payload`.
 * Without names the document stays whole.
 */
export function selectFields(fields: readonly string[] | undefined): (document: Document) => Document {
  if (fields === undefined || fields.includes('*')) return (document) => document
  const tree: Tree = new Map()
  for (const field of fields) plant(tree, keysOf(field.replace(/(\.\*)+$/, '')))
  return (document) => prune(document, tree) as Document
}

function plant(tree: Tree, keys: readonly string[]): void {
  const [key = '', ...rest] = keys
  const below = tree.get(key)
  if (below === true) return
  if (rest.length === 0) {
    tree.set(key, true)
    return
  }
  const branch: Tree = below ?? new Map()
  tree.set(key, branch)
  plant(branch, rest)
}

function prune(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) return value.map((element: unknown) => prune(element, tree))
  if (typeof value !== 'object' || value === null) return value
  const selected = Object.entries(value).flatMap(([key, field]): [string, unknown][] => {
    const below = tree.get(key)
    if (below === undefined) return []
    if (below === true) return [[key, field]]
    return typeof field === 'object' && field !== null ? [[key, prune(field, below)]] : []
  })
  return Object.fromEntries(selected)
}
