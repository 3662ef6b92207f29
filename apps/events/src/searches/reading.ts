import { Failure } from '@platform/kernel'
import { z } from 'zod'
import { isEventPath } from '../event-log/event-filter.ts'

/** Nested `bool` clauses and nested aggregations. */
export const DEPTH_MAX = 5
const CLAUSES_MAX = 1000
const AGGREGATIONS_MAX = 50

/** What one search may still spend while it is read, and the one instant that all its `now` mean. */
export interface Reading {
  readonly now: Date
  clausesLeft: number
  aggregationsLeft: number
}

export const newReading = (now: Date): Reading => ({
  now,
  clausesLeft: CLAUSES_MAX,
  aggregationsLeft: AGGREGATIONS_MAX,
})

/** The refusal of a part of a search: a path into the body and what is wrong there, or what to use instead. */
export const refusal = (path: string, message: string): Failure => {
  const shown = path.slice(0, 200)
  return new Failure('RequestValidationError', `${shown}: ${message}.`, {
    details: [{ path: shown, message }],
  })
}

/** Throws when a search has more conditions than any store should be asked at once; a value of a list is one too. */
export function takeClauses(reading: Reading, count: number, path: string): void {
  reading.clausesLeft -= count
  if (reading.clausesLeft < 0)
    throw refusal(
      path,
      `is beyond the ${CLAUSES_MAX} conditions that a search may have: ask for less at once`,
    )
}

/** Throws when a search computes too much at once. */
export function takeAggregation(reading: Reading, path: string): void {
  reading.aggregationsLeft -= 1
  if (reading.aggregationsLeft < 0)
    throw refusal(path, `is beyond the ${AGGREGATIONS_MAX} aggregations that a search may have`)
}

/** Reads a part by its grammar; what is wrong is refused at its own path. */
export function read<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: string,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: phraseOf })
  if (result.success) return result.data
  // Of a script, nothing else matters.
  const { issues } = result.error
  const issue = issues.find(({ path: [key] }) => key === 'script') ?? issues[0]
  const at = [path, ...(issue?.path ?? [])].map(String).join('.')
  if (issue?.code === 'unrecognized_keys') throw unknownKey(at, issue.keys[0] ?? '')
  throw refusal(at, (issue?.message ?? 'is not valid').replace(/\.$/, ''))
}

function phraseOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined
  if (issue.input === undefined) return 'is required'
  return `must be ${/^[aeio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`
}

function unknownKey(path: string, key: string): Failure {
  if (key.includes('script'))
    return refusal(`${path}.${key}`, 'scripts do not run here: filter and aggregate by fields')
  return refusal(`${path}.${key}`, 'is not known here')
}

const AnyRecord = z.record(z.string(), z.unknown())

/** The one entry of an object such as `{ "term": {…} }`. */
export function onlyEntry(value: unknown, path: string, what: string): [key: string, value: unknown] {
  const entries = Object.entries(read(AnyRecord, value, path))
  const [entry] = entries
  if (entry === undefined || entries.length > 1) throw refusal(path, `must name exactly one ${what}`)
  return entry
}

const otherNames: ReadonlyMap<string, string> = new Map([
  ['@timestamp', 'createdAt'],
  ['_id', 'id'],
])

const searchable = /^(?:type|id|createdAt|size|(?:source|payload|target|error)\.)/

/**
 * The path that a search means by the name of a field. `.keyword` at its end is dropped, as stored texts are always
 * whole values; a field of the payload that is itself called `keyword` is meant by `payload.keyword` only.
 */
export function fieldPath(name: string, path: string): string {
  const known = otherNames.get(name) ?? name
  const bare = known.replace(/\.keyword$/, '')
  const found = [bare, known].find((one) => searchable.test(one) && isEventPath(one))
  if (found !== undefined) return found
  throw refusal(
    path,
    `"${name.slice(0, 100)}" is no field of events: use type, createdAt, id, size, ` +
      'or a path in source, payload, target or error',
  )
}
