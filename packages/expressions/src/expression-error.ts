/** The names an error of this package can carry. */
export type ExpressionErrorName = 'InvalidExpressionSyntax' | 'InvalidVariableNameError'

/** The only error that leaves this package: bad syntax, a bad path, a refused operation or a limit that was reached. */
export class ExpressionError extends Error {
  override readonly name: ExpressionErrorName
  /** Where in the source it happened, counted in UTF-16 units; 0 when there is no better place. */
  readonly offset: number

  constructor(
    message: string,
    offset = 0,
    name: ExpressionErrorName = 'InvalidExpressionSyntax',
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = name
    this.offset = offset
  }
}

/** Keeps the promise that nothing but ExpressionError escapes, whatever the engine or the scope threw. */
export function asExpressionError(error: unknown): ExpressionError {
  if (error instanceof ExpressionError) return error
  const reason = error instanceof RangeError ? 'it is nested too deeply or too large' : 'an operation failed'
  return new ExpressionError(
    `The expression could not be evaluated: ${reason}.`,
    0,
    'InvalidExpressionSyntax',
    error,
  )
}
