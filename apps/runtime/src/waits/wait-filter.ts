import type { EventRecord } from '@platform/contracts'
import { matchesFilter, singleConditions, valuesAt } from '@platform/expressions'
import { hashOfText } from '@platform/kernel'

export type WaitFilters = Readonly<Record<string, unknown>>

/** By what a wait is found: one value that its event must have, and where. '' and 0 where it asks for none. */
export interface WaitKey {
  readonly path: string
  readonly valueHash: number
}

/** Of comparing one event with the filters of one wait; what takes more does not match. */
const LIMITS = { steps: 100_000 }

/** The first filter that asks for one value. */
export function keyOf(filters: WaitFilters | undefined): WaitKey {
  for (const [path, condition] of Object.entries(filters ?? {})) {
    const wanted = wantedValue(condition)
    if (!path.startsWith('$') && isScalar(wanted)) return { path, valueHash: hashOfValue(wanted) }
  }
  return { path: '', valueHash: 0 }
}

const wantedValue = (condition: unknown): unknown =>
  typeof condition === 'object' && condition !== null && '$eq' in condition ? condition.$eq : condition

type Scalar = string | number | boolean

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

const hashOfValue = (value: Scalar): number => hashOfText(JSON.stringify(value))

/** The hashes of all values that an equality at this path would be true of. */
export function hashesAt(event: EventRecord, path: string): number[] {
  if (path === '') return [0]
  try {
    return [...new Set(valuesAt(event, path, { limits: LIMITS }).filter(isScalar).map(hashOfValue))]
  } catch {
    return []
  }
}

export function matchesWait(event: EventRecord, filters: WaitFilters | null): boolean {
  try {
    return filters === null || matchesFilter(event, filters, { limits: LIMITS })
  } catch {
    return false
  }
}

/** Throws ExpressionError for an operator that does not exist, or a pattern that can't be read. */
export function checkFilters(filters: WaitFilters): void {
  for (const { filter } of singleConditions(filters)) matchesFilter({}, filter, { limits: LIMITS })
}
