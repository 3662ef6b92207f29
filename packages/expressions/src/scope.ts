/** Takes payment for work before it is done; throws when there is too much of it. A step is about 50 nanoseconds. */
export interface Meter {
  pay(steps: number): void
}

/**
 * Finds root variables by name; a missing one is undefined. What `resolve` throws arrives as the cause of an
 * ExpressionError.
 */
export interface VariableSource {
  resolve(name: string, meter: Meter): unknown
  /** An own member of a root variable, for sources that would have to make the whole of it otherwise. */
  resolveMember?(name: string, key: string, meter: Meter): unknown
}

/**
 * Where root variables come from: a plain record, or an object whose `resolve` is a function (data never holds
 * functions).
 */
export type Scope = Readonly<Record<string, unknown>> | VariableSource

/** True when the scope computes its variables instead of holding them. */
export function isVariableSource(scope: Scope): scope is VariableSource {
  return typeof scope.resolve === 'function'
}
