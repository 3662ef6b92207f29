import { Failure } from '@platform/kernel'
import { storable } from '../../contexts/storable.ts'
import { requireSize } from '../../contexts/value-size.ts'

export type Data = Readonly<Record<string, unknown>>

/** Most characters of a record as JSON. */
export const RECORD_MAX = 1_000_000

/** Set by the platform. */
const OWN = new Set(['id', 'createdAt', 'updatedAt'])

/**
 * What is to be kept of an object: without what JSON has not, dates as texts. Throws where it is none that can be kept.
 */
export function recordOf(given: Data, { id, now, before }: { id: string; now: string; before?: Data }): Data {
  requireSize(given, RECORD_MAX, () => 'A record')
  for (const key of Object.keys(given)) requireName(key)
  const kept = storable(plain(given)) as Data
  const entries = Object.entries(kept).filter(([key]) => !OWN.has(key))
  const createdAt = before?.createdAt ?? now
  return { id, ...Object.fromEntries(entries), createdAt, updatedAt: now }
}

/** The id that a record asks for. */
export function givenId(data: Data): string | undefined {
  const { id } = data
  if (id === undefined || id === null) return undefined
  const text = typeof id === 'number' ? String(id) : id
  if (typeof text === 'string' && text !== '' && text.length <= 200 && !text.includes('\u0000')) return text
  throw new Failure('InvalidArgumentsError', 'The id of a record must be a text of 1 to 200 characters.')
}

function requireName(key: string): void {
  if (key !== '' && key.length <= 1000 && !/^\$|\.|^__proto__$/.test(key)) return
  throw new Failure(
    'InvalidArgumentsError',
    `A record can’t have the property "${key.slice(0, 100)}": its name has a dot, or begins with $, or is empty.`,
  )
}

/** A date is kept as its text, so that it compares in the database as it does here. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  if (isDate(value)) return value.iso
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, plain(item)]),
  )
}

const isDate = (value: object): value is { iso: string } =>
  'ts' in value && 'iso' in value && typeof value.ts === 'number' && typeof value.iso === 'string'

/** The properties of a record that were asked for. */
export function shownFields(data: Data, fields: readonly string[] | Data | undefined): Data {
  if (fields === undefined) return data
  const names = Array.isArray(fields) ? (fields as string[]) : Object.keys(fields)
  const isWithout =
    !Array.isArray(fields) && names.every((name) => [0, false].includes((fields as never)[name]))
  const roots = new Set(names.map((name) => name.split('.')[0]))
  return Object.fromEntries(
    Object.entries(data).filter(
      ([key]) => key === 'id' || (isWithout ? !names.includes(key) : roots.has(key)),
    ),
  )
}
