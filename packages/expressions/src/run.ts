import { ExpressionError } from './expression-error.ts'
import { defaultLimits, type Options } from './options.ts'
import { isVariableSource, type Meter, type Scope } from './scope.ts'
import { isDeniedName, readProperty } from './values/properties.ts'

const noOptions: Options = {}

/** The state of one evaluation: where names come from and how much work is left. */
export class Run implements Meter {
  readonly scope: Scope
  readonly options: Options
  readonly isSource: boolean
  steps: number
  characters: number
  readonly depth: number

  constructor(scope: Scope, options: Options = noOptions) {
    const limits = options.limits
    this.scope = scope
    this.options = options
    this.isSource = isVariableSource(scope)
    this.steps = limits?.steps ?? defaultLimits.steps
    this.characters = limits?.characters ?? defaultLimits.characters
    this.depth = limits?.depth ?? defaultLimits.depth
  }

  pay(steps: number): void {
    spend(this, steps)
  }
}

/** The value of a root variable; functions are never values. */
export function readRoot(run: Run, name: string): unknown {
  if (!run.isSource) return readProperty(run.scope, name)
  // The source may keep its variables in an object of its own, whose prototype is nobody's variable.
  if (isDeniedName(name)) return undefined
  const value = isVariableSource(run.scope) ? run.scope.resolve(name, run) : undefined
  return typeof value === 'function' ? undefined : value
}

/** A member of a root variable; a scope that computes its variables may know it without making the whole. */
export function readMember(run: Run, name: string, key: string): unknown {
  const { scope } = run
  if (!run.isSource || !isVariableSource(scope) || scope.resolveMember === undefined)
    return readProperty(readRoot(run, name), key)
  if (isDeniedName(name) || isDeniedName(key)) return undefined
  const value = scope.resolveMember(name, key, run)
  return typeof value === 'function' ? undefined : value
}

/** Pays for work before it is done. */
export function spend(run: Run, steps: number): void {
  run.steps -= steps
  if (run.steps < 0)
    throw new ExpressionError('The expression does too much work; split it or use less data.')
}

/** Pays for text before it is built. */
export function grow(run: Run, characters: number): void {
  run.characters -= characters
  if (run.characters < 0)
    throw new ExpressionError('The expression produces too much text; shorten its inputs.')
  spend(run, characters >>> 5)
}

/** Pays for reading text before it is read. */
export function scan(run: Run, characters: number): void {
  spend(run, characters >>> 4)
}

/** Stops a walk over data that is nested too deeply or refers to itself. */
export function checkDepth(run: Run, depth: number): void {
  if (depth > run.depth) throw new ExpressionError('The data is nested too deeply or refers to itself.')
}
