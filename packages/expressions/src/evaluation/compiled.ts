import { createCache } from '../cache.ts'
import { asExpressionError } from '../expression-error.ts'
import type { Options } from '../options.ts'
import { Run } from '../run.ts'
import type { Scope } from '../scope.ts'
import { parseWhole, requireKnownFunctions } from '../syntax/parse-template.ts'
import { Pattern } from '../values/pattern.ts'
import { compileNode, type Evaluate } from './compile-node.ts'

/** An expression that was parsed once and can be evaluated many times. */
export interface CompiledExpression {
  evaluate(scope: Scope, options?: Options): unknown
}

const expressions = createCache<CompiledExpression>(1_000)

/** Parses a bare expression, as in the key of a condition or `repeat.until`. */
export function compileExpression(source: string): CompiledExpression {
  const read = guarded(() => {
    const { node, findings } = parseWhole(source)
    requireKnownFunctions(findings)
    return compileNode(node)
  })
  return { evaluate: (scope, options) => start(read, scope, options) }
}

/** Evaluates a bare expression; recently used sources are kept parsed. */
export function evaluate(source: string, scope: Scope, options?: Options): unknown {
  let compiled = expressions.get(source)
  if (compiled === undefined) {
    compiled = compileExpression(source)
    expressions.set(source, compiled)
  }
  return compiled.evaluate(scope, options)
}

/** Runs a compiled function in a new run and lets nothing but ExpressionError out. */
export function start(read: Evaluate, scope: Scope, options: Options | undefined): unknown {
  const run = new Run(scope, options)
  const { steps } = run
  try {
    const value = read(run)
    return value instanceof Pattern ? value.toString() : value
  } catch (error) {
    throw asExpressionError(error)
  } finally {
    options?.onSpent?.(steps - run.steps)
  }
}

/** Runs a parsing step and lets nothing but ExpressionError out. */
export function guarded<Result>(parse: () => Result): Result {
  try {
    return parse()
  } catch (error) {
    throw asExpressionError(error)
  }
}
