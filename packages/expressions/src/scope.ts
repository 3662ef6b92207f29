/** Finds root variables by name; a missing one is undefined. What `resolve` throws arrives as the cause of an ExpressionError. */
export interface VariableSource {
  resolve(name: string): unknown
}

/** Where root variables come from: a plain record, or an object whose `resolve` is a function (data never holds functions). */
export type Scope = Readonly<Record<string, unknown>> | VariableSource

/** True when the scope computes its variables instead of holding them. */
export function isVariableSource(scope: Scope): scope is VariableSource {
  return typeof scope.resolve === 'function'
}
