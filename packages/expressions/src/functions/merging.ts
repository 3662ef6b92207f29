import { checkDepth, grow, type Run, spend } from '../run.ts'
import { isDeniedName, isRecord, keysOf } from '../values/properties.ts'

interface MergeOptions {
  readonly concatStrings: boolean
}

/** deepmerge(a, b, …, {concatStrings}): objects merge, lists follow each other, everything else is replaced. */
export function deepmerge(parameters: readonly unknown[], run: Run): unknown {
  const last = parameters.at(-1)
  const hasOptions = parameters.length > 1 && isOptions(last)
  const values = hasOptions ? parameters.slice(0, -1) : parameters
  const options = { concatStrings: hasOptions && last.concatStrings === true }
  return values.reduce((left, right) => merge(left, right, options, run, 0), undefined)
}

function isOptions(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false
  const keys = Object.keys(value)
  return keys.length === 1 && keys[0] === 'concatStrings' && typeof value.concatStrings === 'boolean'
}

function merge(left: unknown, right: unknown, options: MergeOptions, run: Run, depth: number): unknown {
  spend(run, 1)
  checkDepth(run, depth)
  if (right === undefined) return left
  if (Array.isArray(left) && Array.isArray(right)) {
    spend(run, left.length + right.length)
    return [...left, ...right]
  }
  if (options.concatStrings && typeof left === 'string' && typeof right === 'string') {
    grow(run, left.length + right.length)
    return left + right
  }
  return isRecord(right) && (isRecord(left) || left === undefined)
    ? mergeRecords(left, right, options, run, depth)
    : right
}

function mergeRecords(
  left: Record<string, unknown> | undefined,
  right: Record<string, unknown>,
  options: MergeOptions,
  run: Run,
  depth: number,
): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const key of keysOf(left ?? {}, run)) if (!isDeniedName(key)) result[key] = left?.[key]
  for (const key of keysOf(right, run)) {
    if (isDeniedName(key)) continue
    const value = right[key]
    const present = Object.hasOwn(result, key) ? result[key] : undefined
    result[key] = merge(present, value, options, run, depth + 1)
  }
  return result
}
