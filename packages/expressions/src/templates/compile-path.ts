import { createCache } from '../cache.ts'
import { compileNode, type Evaluate } from '../evaluation/compile-node.ts'
import { ExpressionError } from '../expression-error.ts'
import type { Options } from '../options.ts'
import { Run } from '../run.ts'
import type { Scope } from '../scope.ts'
import { type PathPart, parsePath } from '../syntax/parse-path.ts'
import { isDeniedName } from '../values/properties.ts'

/** Where `set` and `delete` write. */
export interface ResolvedPath {
  /** Names and list positions from the root variable down. */
  readonly segments: (string | number)[]
  /** Whether the path ended in `[]`: the value goes to the end of the list. */
  readonly append: boolean
}

/** A variable path that was parsed once, with `{{ }}` still to fill in. */
export interface CompiledPath {
  resolve(scope: Scope, options?: Options): ResolvedPath
}

type Segment = (run: Run) => readonly (string | number)[]

const paths = createCache<CompiledPath>(1_000)

/** Parses a variable path such as `a.b[0].c`, `a[{{x}}]`, `{{name}}` or `list[]`. */
export function compilePath(text: string): CompiledPath {
  const known = paths.get(text)
  if (known !== undefined) return known
  const { parts, append } = named(() => parsePath(text))
  const segments = parts.map((part, index) => compileSegment(part, index === 0))
  const compiled: CompiledPath = {
    resolve: (scope, options) => named(() => resolveSegments(segments, append, new Run(scope, options))),
  }
  paths.set(text, compiled)
  return compiled
}

function resolveSegments(segments: readonly Segment[], append: boolean, run: Run): ResolvedPath {
  const resolved = segments.flatMap((segment) => segment(run))
  const denied = resolved.find((segment) => isDeniedName(String(segment)))
  if (denied !== undefined) throw invalid(`"${denied}" cannot be part of a variable name.`)
  return { segments: resolved, append }
}

function compileSegment(part: PathPart, isRoot: boolean): Segment {
  if ('key' in part) return () => [part.key]
  const read = compileNode(part.node)
  if (isRoot) return (run) => parseDynamicRoot(read, run)
  return (run) => [requireKey(read(run))]
}

// A name that is all variable may be a path: `set {{item}}` with item "output.total". It holds no templates of its own.
function parseDynamicRoot(read: Evaluate, run: Run): readonly (string | number)[] {
  const value = requireKey(read(run))
  if (typeof value === 'number') return [String(value)]
  const { parts, append } = parsePath(value)
  if (append) throw invalid(`The variable name "${value.slice(0, 60)}" cannot end in [] here.`)
  return parts.map((part) => {
    if ('key' in part) return part.key
    throw invalid('A variable name that comes from a variable cannot hold {{ }}.')
  })
}

function requireKey(value: unknown): string | number {
  if (typeof value === 'string' && value !== '') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw invalid(
    'A part of the variable name is empty or is neither text nor number; check the variable in it.',
  )
}

function named<Result>(act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    if (error instanceof ExpressionError && error.name === 'InvalidVariableNameError') throw error
    const reason = error instanceof ExpressionError ? error.message : 'The variable name could not be read.'
    const offset = error instanceof ExpressionError ? error.offset : 0
    throw new ExpressionError(reason, offset, 'InvalidVariableNameError', error)
  }
}

function invalid(message: string): ExpressionError {
  return new ExpressionError(message, 0, 'InvalidVariableNameError')
}
