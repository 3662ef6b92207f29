import { limits } from '@platform/contracts'
import type { Path, Problem } from '@platform/source-texts'

const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** Values of a definition, aliases written out. */
const MAX_VALUES = 100_000

/**
 * What YAML can say and JSON, PostgreSQL or an honest author can't; the same limits as for JSON bodies. Stops at the
 * first.
 */
export function checkPlainData(root: unknown): Problem | undefined {
  const state = { values: 0, keys: 0 }
  return inspect(root, [], state)
}

function inspect(value: unknown, path: Path, state: { values: number; keys: number }): Problem | undefined {
  state.values += 1
  if (state.values > MAX_VALUES)
    return { path: [], message: 'has too many values: at most 100,000, aliases written out' }
  if (typeof value === 'string') return inspectText(value, path)
  if (typeof value === 'number' && !Number.isFinite(value))
    return { path, message: 'must be a finite number' }
  if (typeof value !== 'object' || value === null) return undefined
  if (path.length >= limits.jsonDepth)
    return { path, message: `is nested deeper than ${limits.jsonDepth} levels` }
  return inspectEntries(value, path, state)
}

function inspectEntries(
  value: object,
  path: Path,
  state: { values: number; keys: number },
): Problem | undefined {
  const isList = Array.isArray(value)
  for (const [key, item] of Object.entries(value)) {
    const inner = [...path, isList ? Number(key) : key]
    const problem = (isList ? undefined : inspectKey(key, inner, state)) ?? inspect(item, inner, state)
    if (problem !== undefined) return problem
  }
  return undefined
}

function inspectKey(key: string, path: Path, state: { keys: number }): Problem | undefined {
  state.keys += 1
  if (state.keys > limits.jsonKeys) return { path: [], message: `has more than ${limits.jsonKeys} keys` }
  if (forbiddenKeys.has(key)) return { path, message: 'is a key that is not allowed', onKey: true }
  const problem = inspectText(key, path)
  return problem === undefined ? undefined : { ...problem, onKey: true }
}

function inspectText(text: string, path: Path): Problem | undefined {
  if (text.includes('\u0000')) return { path, message: 'holds a NUL character, which can’t be kept' }
  return text.isWellFormed() ? undefined : { path, message: 'holds half of a surrogate pair' }
}
