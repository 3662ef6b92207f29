import { ExpressionError, matchesFilter, singleConditions } from '@platform/expressions'
import { isRecord } from '@platform/kernel'
import type { Path, Problem } from '@platform/source-texts'

/** Of trying one filter. */
const LIMITS = { steps: 100_000 }

/** Operators that do not exist and patterns that can't be read, in what no template may still change. */
export function checkWaitFilters(oneOf: unknown, path: Path): Problem[] {
  if (!Array.isArray(oneOf)) return []
  return oneOf.flatMap((one: unknown, index) =>
    isRecord(one) && isRecord(one.filters)
      ? checkFilters(one.filters, [...path, 'oneOf', index, 'filters'])
      : [],
  )
}

const checkFilters = (filters: Readonly<Record<string, unknown>>, path: Path): Problem[] =>
  singleConditions(filters).flatMap(({ key, filter }): Problem[] => {
    const message = problemOf(filter)
    return message === undefined ? [] : [{ path: [...path, key], message }]
  })

function problemOf(filter: unknown): string | undefined {
  if (/\{\{|\{%/.test(JSON.stringify(filter))) return undefined
  try {
    matchesFilter({}, filter, { limits: LIMITS })
    return undefined
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return `is no filter: ${error.message.replace(/\.$/, '')}`
  }
}
