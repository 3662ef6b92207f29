import { guarded } from '../evaluation/compiled.ts'
import type { Node } from '../syntax/nodes.ts'
import { parsePath } from '../syntax/parse-path.ts'
import { isTemplate, parseTemplate, parseWhole } from '../syntax/parse-template.ts'
import { isRecord } from '../values/properties.ts'

/** A variable that is named somewhere; without a key the whole of it, or a key nobody knows before it is run. */
export interface NamedVariable {
  readonly name: string
  readonly key?: string
}

/** What a path writes to, and what has to be read to know it. */
export interface NamedPath {
  /** undefined when the name itself comes from a variable. */
  readonly target: NamedVariable | undefined
  readonly reads: readonly NamedVariable[]
}

/** The variables a bare expression reads. Throws ExpressionError. */
export const readsOfExpression = (source: string): NamedVariable[] =>
  guarded(() => readsOf(parseWhole(source).node))

/** The variables that the templates in a value read, those in its keys as well. Throws ExpressionError. */
export const readsOfTemplate = (value: unknown): NamedVariable[] => guarded(() => readsOfValue(value))

/** What a variable path such as `session.a[{{b}}]` writes to and reads. Throws ExpressionError. */
export function namesOfPath(text: string): NamedPath {
  const { parts } = guarded(() => parsePath(text))
  const reads = parts.flatMap((part) => ('node' in part ? readsOf(part.node) : []))
  const [root, second] = parts
  if (root === undefined || 'node' in root) return { target: undefined, reads }
  const name = String(root.key)
  const key = second !== undefined && 'key' in second ? { key: String(second.key) } : {}
  return { target: { name, ...key }, reads }
}

function readsOfValue(value: unknown): NamedVariable[] {
  if (typeof value === 'string')
    return isTemplate(value) ? parseTemplate(value).flatMap(({ node }) => readsOf(node)) : []
  if (Array.isArray(value)) return value.flatMap(readsOfValue)
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([key, item]) => [...readsOfValue(key), ...readsOfValue(item)])
}

function readsOf(node: Node): NamedVariable[] {
  const variable = variableOf(node)
  return variable === undefined ? innerNodes(node).flatMap(readsOf) : [variable]
}

/** The variable that a node is, with its key where that is written down; undefined where it is something else. */
export function variableOf(node: Node): NamedVariable | undefined {
  if (node.kind === 'variable') return { name: node.name }
  if (node.kind === 'word') return named(node.keys)
  if (node.kind === 'member' && node.target.kind === 'variable' && node.key.kind === 'literal')
    return { name: node.target.name, key: String(node.key.value) }
  return undefined
}

// A bare word is the variable of its name where there is one.
function named([name = '', key]: readonly string[]): NamedVariable {
  return key === undefined ? { name } : { name, key }
}

type Inner = { [Kind in Node['kind']]: (node: Extract<Node, { kind: Kind }>) => readonly Node[] }

const inner: Inner = {
  literal: () => [],
  variable: () => [],
  word: () => [],
  member: ({ target, key }) => [target, key],
  call: ({ parameters }) => parameters,
  regex: ({ pattern }) => [pattern],
  array: ({ items }) => items,
  object: ({ entries }) => entries.flat(),
  text: ({ parts }) => parts,
  group: (node) => [node.inner],
  unary: ({ operand }) => [operand],
  binary: ({ left, right }) => [left, right],
  conditional: ({ test, yes, no }) => [test, yes, no],
}

/** The nodes that a node is made of. */
export function innerNodes(node: Node): readonly Node[] {
  const list = inner[node.kind] as (node: Node) => readonly Node[]
  return list(node)
}
