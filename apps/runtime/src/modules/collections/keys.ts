import { createHash } from 'node:crypto'
import { Failure } from '@platform/kernel'
import type { CollectionSchema, Indexed } from './collection-schema.ts'
import type { Data } from './record.ts'

/** Between the properties of one index. */
const BETWEEN = '\u0001'
/** Of a text; the rest is told apart by its hash. */
const LONGEST = 300
/** Stands for any list: what it holds is looked at in the record. */
export const LIST = 'a'

/** What an index has for a value: texts that are in the order of the values. undefined for what is not there. */
export function keyOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number') return `n${orderedNumber(value)}`
  if (typeof value === 'boolean') return `b${value ? 1 : 0}`
  if (typeof value === 'string') return `s${shortened(value)}`
  return Array.isArray(value) ? LIST : `o${hashOf(JSON.stringify(value))}`
}

function shortened(text: string): string {
  const short =
    text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}${BETWEEN}${hashOf(text)}`
  return short.replaceAll('\u0000', '').toWellFormed()
}

/** True for a text whose key is the text itself. */
export const isShort = (value: unknown): boolean => typeof value !== 'string' || value.length <= LONGEST

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** The bits of a number as a text that is in its order. */
function orderedNumber(value: number): string {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value === 0 ? 0 : value)
  if ((bytes[0] ?? 0) < 128) bytes[0] = (bytes[0] ?? 0) | 128
  else for (let at = 0; at < 8; at += 1) bytes[at] = 255 - (bytes[at] ?? 0)
  return bytes.toString('hex')
}

/** The columns of a record that are indexes. */
export function keysOf({ indexes, uniques }: CollectionSchema, data: Data): Record<string, string> {
  const keys: Record<string, string> = {}
  for (const one of indexes) put(keys, one, compound(valuesOf(one, data)))
  for (const one of uniques) {
    const values = valuesOf(one, data)
    if (values.some(Array.isArray)) throw noList(one)
    put(keys, one, compound(values))
  }
  return keys
}

const valuesOf = ({ properties }: Indexed, data: Data): unknown[] =>
  properties.map((name) => (Object.hasOwn(data, name) ? data[name] : undefined))

/** A record where one of the properties is missing is in no index of them; one with a list stands with all such. */
export function compound(values: readonly unknown[]): string | undefined {
  const keys = values.map(keyOf)
  if (keys.includes(undefined)) return undefined
  return keys.includes(LIST) ? LIST : keys.join(BETWEEN)
}

function put(keys: Record<string, string>, { column }: Indexed, key: string | undefined): void {
  if (key !== undefined) keys[column] = key
}

const noList = ({ properties }: Indexed) =>
  new Failure('InvalidArgumentsError', `${properties.join(', ')} must be unique: a list can’t be.`)
