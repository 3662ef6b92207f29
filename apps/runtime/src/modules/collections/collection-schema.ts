import type { CollectionProperty, CollectionType } from '@platform/contracts'
import { MAX_INDEXES, MAX_UNIQUES } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { Data } from './record.ts'

/** Properties whose values stand in a column of the table of records. */
export interface Indexed {
  readonly column: string
  readonly properties: readonly string[]
}

/** What is known of the records of a collection. */
export interface CollectionSchema {
  readonly properties: Readonly<Record<string, CollectionProperty>>
  readonly indexes: readonly Indexed[]
  readonly uniques: readonly Indexed[]
}

export const emptySchema: CollectionSchema = { properties: {}, indexes: [], uniques: [] }

/** What of a schema is to be changed; what is missing stays. */
export interface SchemaChange {
  readonly properties?: Readonly<Record<string, CollectionProperty>> | undefined
  readonly indexes?: readonly { readonly properties: readonly string[] }[] | undefined
  readonly uniques?: readonly { readonly properties: readonly string[] }[] | undefined
}

const columnsOf = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${letter}${at + 1}`)
const INDEX_COLUMNS: readonly string[] = columnsOf('k', MAX_INDEXES)
const UNIQUE_COLUMNS: readonly string[] = columnsOf('u', MAX_UNIQUES)

/** Types of which a value may be a list. */
const LISTS: ReadonlySet<CollectionType> = new Set(['array', 'enumArray', 'json'])

/** True where a value of the property may be a list. */
export const mayBeList = ({ properties }: CollectionSchema, name: string): boolean => {
  const type = Object.hasOwn(properties, name) ? properties[name]?.type : undefined
  return name !== 'id' && name !== 'createdAt' && name !== 'updatedAt' && LISTS.has(type ?? 'json')
}

/** Those that are there keep their columns. */
export function changedSchema(before: CollectionSchema, change: SchemaChange): CollectionSchema {
  const { properties = before.properties, indexes = before.indexes, uniques = before.uniques } = change
  return {
    properties,
    indexes: withColumns(before.indexes, indexes, INDEX_COLUMNS),
    uniques: withColumns(before.uniques, uniques, UNIQUE_COLUMNS),
  }
}

function withColumns(
  before: readonly Indexed[],
  wanted: readonly { readonly properties: readonly string[] }[],
  columns: readonly string[],
): Indexed[] {
  const nameOf = (properties: readonly string[]) => JSON.stringify(properties)
  const different = new Map(wanted.map(({ properties }) => [nameOf(properties), properties]))
  const kept = before.filter(({ properties }) => different.has(nameOf(properties)))
  for (const { properties } of kept) different.delete(nameOf(properties))
  const free = columns.filter((column) => !kept.some((one) => one.column === column))
  const added = [...different.values()].map((properties, at) => ({ column: free[at] ?? '', properties }))
  return [...kept, ...added]
}

/** Throws InvalidArgumentsError naming the property that is not what the schema says. */
export function requireFit({ properties }: CollectionSchema, data: Data, collection: string): void {
  for (const [name, property] of Object.entries(properties)) {
    const what = misfitOf(Object.hasOwn(data, name) ? data[name] : undefined, property)
    if (what === undefined) continue
    throw new Failure(
      'InvalidArgumentsError',
      `The property "${name}" of a record of "${collection}" ${what}.`,
      {
        details: { property: name, type: property.type },
      },
    )
  }
}

function misfitOf(value: unknown, property: CollectionProperty): string | undefined {
  if (value === undefined || value === null) return property.nullable === false ? 'is missing' : undefined
  return FITS[property.type](value, property) ? undefined : `must be of type ${property.type}`
}

const DATE = /^\d{4}-\d{2}-\d{2}$/
const DATETIME = /^\d{4}-\d{2}-\d{2}T/
const DECIMAL = /^-?\d{1,100}(\.\d{1,100})?$/
const TIME = /^\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/
const BASE64 = /^(data:[^,]{0,200},)?[A-Za-z0-9+/_-]*={0,2}$/

type Fits = (value: unknown, property: CollectionProperty) => boolean

const isNumber: Fits = (value) => typeof value === 'number'
const isText: Fits = (value) => typeof value === 'string'
const isBytes: Fits = (value) => typeof value === 'string' && BASE64.test(value)
const isInstant = (value: unknown, shape: RegExp): boolean =>
  typeof value === 'string' && shape.test(value) && !Number.isNaN(Date.parse(value))

const FITS: Readonly<Record<CollectionProperty['type'], Fits>> = {
  string: isText,
  text: isText,
  date: (value) => isInstant(value, DATE),
  time: (value) => typeof value === 'string' && TIME.test(value),
  datetime: (value) => isInstant(value, DATETIME),
  number: isNumber,
  double: isNumber,
  float: isNumber,
  integer: (value) => Number.isSafeInteger(value),
  decimal: (value) => typeof value === 'number' || (typeof value === 'string' && DECIMAL.test(value)),
  boolean: (value) => typeof value === 'boolean',
  uint8array: isBytes,
  blob: isBytes,
  array: (value) => Array.isArray(value),
  enum: isOneOf,
  enumArray: (value, property) => Array.isArray(value) && value.every((item) => isOneOf(item, property)),
  json: () => true,
}

function isOneOf(value: unknown, { enum: values }: CollectionProperty): boolean {
  return values === undefined
    ? typeof value === 'string' || typeof value === 'number'
    : values.includes(value as string)
}
