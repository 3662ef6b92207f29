import { createCache } from '../cache.ts'
import { compileNode, type Evaluate } from '../evaluation/compile-node.ts'
import { guarded, start } from '../evaluation/compiled.ts'
import { ExpressionError } from '../expression-error.ts'
import type { Options } from '../options.ts'
import { scan } from '../run.ts'
import type { Scope } from '../scope.ts'
import { textOf } from '../syntax/nodes.ts'
import { isTemplate, parseTemplate, requireKnownFunctions } from '../syntax/parse-template.ts'
import { isDeniedName, isRecord } from '../values/properties.ts'
import { toText } from '../values/text.ts'

/** A value with `{{ }}` or `{% %}` in it, parsed once. */
export interface CompiledTemplate {
  /** True when nothing in it depends on the scope. */
  readonly isConstant: boolean
  evaluate(scope: Scope, options?: Options): unknown
}

// A constant is kept as a value, so that a subtree without templates costs a copy and nothing else.
type Part = { readonly constant: unknown } | { readonly read: Evaluate }

const maximumDepth = 200
const maximumParts = 200_000
const texts = createCache<CompiledTemplate>(1_000)

/** Parses every text and key inside a value, however nested. */
export function compileTemplate(value: unknown): CompiledTemplate {
  const part = guarded(() => compileValue(value, { parts: 0, depth: 0 }))
  if ('read' in part)
    return { isConstant: false, evaluate: (scope, options) => start(part.read, scope, options) }
  const { constant } = part
  return { isConstant: true, evaluate: isShareable(constant) ? () => constant : () => copy(constant) }
}

/**
 * Fills in a value; recently used texts are kept parsed. What was filled in is data and is never read as a template.
 */
export function interpolate(value: unknown, scope: Scope, options?: Options): unknown {
  if (typeof value !== 'string')
    return isShareable(value) ? value : compileTemplate(value).evaluate(scope, options)
  let compiled = texts.get(value)
  if (compiled === undefined) {
    if (!isTemplate(value)) return value
    compiled = compileTemplate(value)
    texts.set(value, compiled)
  }
  return compiled.evaluate(scope, options)
}

interface Walk {
  parts: number
  depth: number
}

function compileValue(value: unknown, walk: Walk): Part {
  walk.parts += 1
  if (walk.parts > maximumParts) throw new ExpressionError('The template has too many values; split it.')
  if (typeof value === 'string') return compileText(value)
  if (isShareable(value)) return { constant: value }
  walk.depth += 1
  if (walk.depth > maximumDepth) throw new ExpressionError('The template is nested too deeply.')
  const part = Array.isArray(value)
    ? compileList(value, walk)
    : compileRecord(value as Record<string, unknown>, walk)
  walk.depth -= 1
  return part
}

function compileText(text: string): Part {
  if (!isTemplate(text)) return { constant: text }
  const parts = parseTemplate(text)
  for (const { findings } of parts) requireKnownFunctions(findings)
  const [first] = parts
  if (parts.length === 1 && first !== undefined) return { read: compileNode(first.node) }
  return { read: compileNode(textOf(parts.map(({ node }) => node))) }
}

function compileList(list: readonly unknown[], walk: Walk): Part {
  const parts = list.map((item) => compileValue(item, walk))
  if (parts.every((part) => 'constant' in part)) return { constant: list }
  const readers = parts.map(readerOf)
  return { read: (run) => readers.map((read) => read(run)) }
}

function compileRecord(record: Record<string, unknown>, walk: Walk): Part {
  const entries = Object.entries(record).map(([key, value]) => {
    if (isDeniedName(key)) throw deniedKey(key)
    return [compileText(key), compileValue(value, walk)] as const
  })
  if (entries.every(([key, value]) => 'constant' in key && 'constant' in value)) return { constant: record }
  const readers = entries.map(([key, value]) => [readerOf(key), readerOf(value)] as const)
  return {
    read: (run) => {
      const result: Record<string, unknown> = {}
      for (const [readKey, readValue] of readers) {
        const key = toText(readKey(run), run)
        if (isDeniedName(key)) throw deniedKey(key)
        scan(run, key.length)
        result[key] = readValue(run)
      }
      return result
    },
  }
}

function readerOf(part: Part): Evaluate {
  if ('read' in part) return part.read
  const { constant } = part
  return isShareable(constant) ? () => constant : () => copy(constant)
}

// Scalars cannot be changed by who receives them; objects that are no plain data belong to the host.
function isShareable(value: unknown): boolean {
  return !Array.isArray(value) && !isRecord(value)
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy)
  if (!isRecord(value)) return value
  const result: Record<string, unknown> = {}
  for (const key of Object.keys(value)) result[key] = copy(value[key])
  return result
}

function deniedKey(key: string): ExpressionError {
  return new ExpressionError(`"${key}" cannot be the key of an object; rename it.`)
}
