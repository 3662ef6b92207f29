import { type Schema, format as validatorFormats } from '@cfworker/json-schema'
import { compileExpression } from '@platform/expressions'
import { isRecord } from '@platform/kernel'
import { metered, pay } from './validation-budget.ts'

/** A schema as people write it in an automation: JSON Schema with a few liberties. */
export type WrittenSchema = Record<string, unknown>

const formats: Readonly<Record<string, string>> = {
  workspaceId: '^[a-z0-9-]{1,60}$',
  objectId: '^[0-9a-f]{24}$',
  identifier: '^[0-9a-zA-Z._-]{1,100}$',
  name: '^.{1,200}$',
}

const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items', 'additionalItems'] as const
const singles = [
  'items',
  'additionalItems',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'not',
  'contains',
  'propertyNames',
  'if',
  'then',
  'else',
] as const
const maps = ['$defs', 'definitions', 'dependentSchemas'] as const

/** Comparing each item with each other one takes its time: more than this are refused where items must be unique. */
const MAX_UNIQUE_ITEMS = 1000

/** The comparison is not even begun for a list that is too long. */
const boundedUniqueItems = [
  { maxItems: MAX_UNIQUE_ITEMS },
  { if: { minItems: MAX_UNIQUE_ITEMS + 1 }, else: { uniqueItems: true } },
]

/** The names → schemas of `arguments`, as one schema of an object. */
export const schemaOfArguments = (properties: Readonly<Record<string, unknown>>): Schema =>
  standardSchema({ type: 'object', properties })

/**
 * JSON Schema proper: `localized:*` types, our formats and `required: true` on a property are written out. What could
 * keep the validator busy for long is replaced (`pattern`), bounded (`uniqueItems`) or left out
 * (`patternProperties`).
 */
export function standardSchema(written: unknown): Schema {
  if (!isRecord(written)) return {}
  const {
    type,
    format,
    pattern,
    uniqueItems,
    required,
    properties,
    patternProperties,
    dependencies,
    ...rest
  } = written
  const schema: WrittenSchema = {
    ...withInnerSchemas(rest),
    ...typeSchema(type),
    ...formatSchema(format),
    ...propertySchemas(properties, required),
  }
  const bounded = [
    ...(typeof pattern === 'string' ? [{ format: patternAsFormat(pattern) }] : []),
    ...(uniqueItems === true ? boundedUniqueItems : []),
  ]
  if (bounded.length > 0) schema.allOf = [...(Array.isArray(schema.allOf) ? schema.allOf : []), ...bounded]
  return metered(schema)
}

function withInnerSchemas(schema: WrittenSchema): WrittenSchema {
  const result = { ...schema }
  for (const key of singles) if (isRecord(schema[key])) result[key] = standardSchema(schema[key])
  for (const key of lists) if (Array.isArray(schema[key])) result[key] = schema[key].map(standardSchema)
  for (const key of maps) if (isRecord(schema[key])) result[key] = mapSchemas(schema[key])
  return result
}

const mapSchemas = (schemas: WrittenSchema): WrittenSchema =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, standardSchema(schema)]))

/** A localized value is the value itself, or one for each language. */
function typeSchema(type: unknown): WrittenSchema {
  if (typeof type !== 'string') return type === undefined ? {} : { type }
  if (!type.startsWith('localized:')) return { type }
  const base = { type: type.slice('localized:'.length) }
  return { anyOf: [base, { type: 'object', additionalProperties: base }] }
}

function formatSchema(format: unknown): WrittenSchema {
  if (typeof format !== 'string') return {}
  const pattern = formats[format]
  return { format: pattern === undefined ? format : patternAsFormat(pattern) }
}

function propertySchemas(properties: unknown, required: unknown): WrittenSchema {
  const names = Array.isArray(required) ? required.map(String) : []
  if (typeof properties !== 'object' || properties === null)
    return names.length === 0 ? {} : { required: names }
  const entries = Object.entries(properties)
  const flagged = entries.filter(([, schema]) => schema?.required === true).map(([name]) => name)
  const all = [...new Set([...names, ...flagged])]
  const schemas = mapSchemas(properties as WrittenSchema)
  return all.length === 0 ? { properties: schemas } : { properties: schemas, required: all }
}

/** Paths of the properties that carry `mark: true`, from the root down; items of lists are not reached. */
export function pathsMarked(
  schema: unknown,
  mark: 'secret' | 'redact',
  path: readonly string[] = [],
): string[][] {
  if (typeof schema !== 'object' || schema === null || path.length > 20) return []
  const own = Reflect.get(schema, mark) === true && path.length > 0 ? [[...path]] : []
  const properties: unknown = Reflect.get(schema, 'properties')
  if (typeof properties !== 'object' || properties === null) return own
  return [
    ...own,
    ...Object.entries(properties).flatMap(([name, inner]) => pathsMarked(inner, mark, [...path, name])),
  ]
}

const PREFIX = 'pattern:'

const matching = compileExpression('{{text}} matches regex({{pattern}})')

/**
 * The validator matches `pattern` with the engine of JavaScript, which a clever text can keep busy for ever. It looks
 * formats up by name, so a pattern becomes a format of this name, answered below by the regular expressions of the
 * language: linear in the text.
 */
const patternAsFormat = (pattern: string): string => PREFIX + pattern

/** The pattern of such a name; undefined for real formats. */
export const patternOfFormat = (name: string): string | undefined =>
  name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined

const answers = {
  get(_: object, name: string | symbol) {
    const pattern = typeof name === 'string' ? patternOfFormat(name) : undefined
    if (pattern === undefined) return undefined
    return (text: string) => Boolean(matching.evaluate({ text, pattern }, { onSpent: (steps) => pay(steps) }))
  },
}

// Looked up only for names the validator does not know itself, and nothing has to be remembered.
Object.setPrototypeOf(validatorFormats, new Proxy({}, answers))
