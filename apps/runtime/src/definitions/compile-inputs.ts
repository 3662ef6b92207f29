import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema'
import type { AutomationDefinition } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { Inputs } from '../automations/model.ts'
import { pathsMarked, patternOfFormat, schemaOfArguments, standardSchema } from './json-schema.ts'
import { withBudget } from './validation-budget.ts'

type Payload = Readonly<Record<string, unknown>>

interface Branch {
  matches(payload: Payload): boolean
  schema: Schema
  validate(payload: Payload): void
}

/** The checks of `arguments` and `schemas`, compiled once. An interpreter validates: no code is generated. */
export function compileInputs(definition: AutomationDefinition): Inputs {
  const branches = branchesOf(definition)
  const secrets = branches.flatMap(({ schema }) => pathsMarked(schema, 'secret'))
  const redacted = branches.flatMap(({ schema }) => pathsMarked(schema, 'redact'))
  const redactions = treeOf(redacted)
  return {
    validate:
      definition.validateArguments === true
        ? (payload) => validateBranch(branches, payload)
        : () => undefined,
    secretsIn: (payload) => secrets.flatMap((path) => textsAt(payload, path)),
    redactedTexts: (payload) => {
      const texts: string[] = []
      for (const path of redacted) addScalars(valueAt(payload, path), texts)
      return texts.length < MAX_REDACTED ? texts : undefined
    },
    redacted: (payload) => withoutPaths(payload, redactions) as Payload,
  }
}

function branchesOf({ schemas, arguments: written }: AutomationDefinition): Branch[] {
  if (schemas !== undefined && schemas.length > 0) {
    return schemas.map(({ conditions, payload }) => branch(conditions ?? {}, payloadSchema(payload)))
  }
  if (written === undefined || written === null) return []
  return [branch({}, schemaOfArguments(written))]
}

function branch(conditions: Record<string, unknown>, schema: Schema): Branch {
  const wanted = Object.entries(conditions).map(([path, value]) => ({ path, keys: path.split('.'), value }))
  let validator: Validator | undefined
  return {
    matches: (payload) => wanted.every(({ path, keys, value }) => isSame(path, read(payload, keys), value)),
    schema,
    validate(payload) {
      const { valid, errors } = checked(() => {
        validator ??= new Validator(schema, '2020-12', false)
        const prepared = validator
        return withBudget(payload, (watched) => prepared.validate(watched))
      })
      if (!valid) throw invalidArguments(errors)
    },
  }
}

/** A schema may hold what no validator can use: a reference to nothing, a pattern that is none. */
function checked<T>(validate: () => T): T {
  try {
    return validate()
  } catch (error) {
    if (error instanceof Failure) throw error
    const reason = error instanceof Error ? error.message.slice(0, 200).replace(/\.$/, '') : 'it is not valid'
    throw new Failure('InvalidAutomation', `The schema of the arguments can't be used: ${reason}.`)
  }
}

/** A whole schema, or just its properties. */
function payloadSchema(payload: unknown): Schema {
  if (typeof payload !== 'object' || payload === null) return {}
  const isSchema =
    typeof Reflect.get(payload, 'type') === 'string' || typeof Reflect.get(payload, 'properties') === 'object'
  return isSchema ? standardSchema(payload) : schemaOfArguments(payload as Record<string, unknown>)
}

function validateBranch(branches: readonly Branch[], payload: Payload): void {
  if (branches.length === 0) return
  const chosen = branches.find(({ matches }) => matches(payload))
  if (chosen === undefined) {
    throw new Failure(
      'InvalidArgumentsError',
      'Invalid arguments: none of the schemas of the automation applies to them.',
    )
  }
  chosen.validate(payload)
}

const wrappers = new Set(['properties', 'items', 'additionalProperties', 'prefixItems', 'allOf'])

/** Only the innermost problems: the ones around them say nothing more. */
function invalidArguments(errors: readonly OutputUnit[]): Failure {
  const innermost = errors.filter(({ keyword }) => !wrappers.has(keyword))
  const details = (innermost.length > 0 ? innermost : errors).slice(0, 20).map(problemOf)
  const [first] = details
  const where = first === undefined || first.path === '' ? '' : ` at ${first.path}`
  return new Failure(
    'InvalidArgumentsError',
    `Invalid arguments${where}: ${first?.message ?? 'see details'}`,
    {
      details,
    },
  )
}

function problemOf({ instanceLocation, keyword, error }: OutputUnit) {
  const path = instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.')
  const pattern = patternOfFormat(/^String does not match format "([\s\S]*)"\.$/.exec(error)?.[1] ?? '')
  if (keyword !== 'format' || pattern === undefined) return { path, keyword, message: error }
  return { path, keyword: 'pattern', message: `String does not match pattern "${pattern}".` }
}

function read(payload: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? Reflect.get(value, key)
        : undefined,
    payload,
  )
}

/** Scalars are compared as texts; the verb of a request in any case. */
function isSame(path: string, value: unknown, wanted: unknown): boolean {
  if (typeof value === 'object' || value === undefined) return false
  const left = String(value)
  const right = String(wanted)
  return path === 'method' ? left.toLowerCase() === right.toLowerCase() : left === right
}

/** Names of fields to leave out, down to where they are: `true` is the field itself. */
type Paths = ReadonlyMap<string, Paths | true>

/** Paths as a tree, so that what lies around them is copied once. */
function treeOf(paths: readonly (readonly string[])[]): Paths {
  const tree: Node = new Map()
  for (const path of paths) {
    const last = path.at(-1)
    if (last !== undefined) nodeAt(tree, path.slice(0, -1))?.set(last, true)
  }
  return tree
}

type Node = Map<string, Node | true>

/** The node at a path; undefined when all of it is left out anyway. */
function nodeAt(tree: Node, path: readonly string[]): Node | undefined {
  let node = tree
  for (const key of path) {
    const inner = node.get(key) ?? new Map()
    if (inner === true) return undefined
    node.set(key, inner)
    node = inner
  }
  return node
}

/** A copy of `value` without what is at the paths; the same value where nothing is. */
function withoutPaths(value: unknown, paths: Paths): unknown {
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
function textsAt(value: unknown, path: readonly string[]): string[] {
  const found = valueAt(value, path)
  return typeof found === 'string' && found !== '' ? [found] : []
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined
    current = Reflect.get(current, key)
  }
  return current
}

/** So many scalars of redacted arguments are looked for elsewhere. */
const MAX_REDACTED = 10_000

function addScalars(value: unknown, texts: string[]): void {
  if (texts.length >= MAX_REDACTED) return
  if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) addScalars(inner, texts)
  else if (typeof value === 'string' || typeof value === 'number') texts.push(String(value))
}
