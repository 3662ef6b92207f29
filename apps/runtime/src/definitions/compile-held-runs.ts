import { type Concurrency, type Debounce, durationMs } from '@platform/contracts'
import { compileTemplate, ExpressionError } from '@platform/expressions'
import type { CompiledConcurrency, CompiledDebounce, KeyOf } from '../automations/model.ts'

/** A key is computed before its run begins, beside everything else the process does. */
const LIMITS = { steps: 20_000, characters: 100_000 }

/** A key that can't be read fails its runs, and is among the problems of the automation. */
export function compileConcurrency(
  concurrency: Concurrency | undefined,
  problems: string[],
): CompiledConcurrency | undefined {
  if (concurrency === undefined) return undefined
  const { limit, key = '', strategy = 'queue' } = concurrency
  return { limit, strategy, keyOf: compileKey(key, 'concurrency', problems) }
}

/** The same. */
export function compileDebounce(
  debounce: Debounce | undefined,
  problems: string[],
): CompiledDebounce | undefined {
  if (debounce === undefined) return undefined
  const { period, key = '', max } = debounce
  return {
    periodMs: durationMs(period) ?? 0,
    maxMs: durationMs(max),
    keyOf: compileKey(key, 'debounce', problems),
  }
}

function compileKey(key: string, field: 'concurrency' | 'debounce', problems: string[]): KeyOf {
  try {
    const template = compileTemplate(key)
    return (payload) => textOf(template.evaluate(payload, { limits: LIMITS }))
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    problems.push(`${field}.key: ${error.message}`)
    return () => {
      throw error
    }
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
