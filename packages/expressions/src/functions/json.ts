import { ExpressionError } from '../expression-error.ts'
import { matchFilter } from '../filters/match-filter.ts'
import { grow, type Run } from '../run.ts'
import { findJson, parseJson } from '../values/json-text.ts'
import { toJson } from '../values/text.ts'

type Parameters = readonly unknown[]

/** json(text) reads JSON, json(anything else) writes it. */
export function json([value]: Parameters, run: Run): unknown {
  if (value === undefined) return undefined
  if (typeof value !== 'string') return toJson(value, run)
  grow(run, value.length)
  try {
    return parseJson(value, run)
  } catch (error) {
    if (error instanceof ExpressionError) throw error
    const remedy = 'use unsafejson() for text around it'
    throw new ExpressionError(
      `json() was given a text that is not JSON; ${remedy}.`,
      0,
      'InvalidExpressionSyntax',
      error,
    )
  }
}

/** unsafejson(text): the first JSON object or list found in a text, undefined when there is none. */
export function unsafejson([value]: Parameters, run: Run): unknown {
  if (typeof value !== 'string') return value
  grow(run, value.length)
  return findJson(value, run)
}

/** jsonmatch(value, filter): whether a value fits a Mongo-like filter. */
export function jsonmatch([value, filter]: Parameters, run: Run): boolean {
  return matchFilter(value, filter, run)
}
