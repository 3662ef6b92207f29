import { ExpressionError } from '@platform/expressions'
import { Failure, StoreError } from '@platform/kernel'

/** A failure of an automation and the instruction it happened in. */
export class AutomationFailure extends Error {
  override readonly name = 'AutomationFailure'
  readonly failure: Failure
  readonly automationSlug: string
  readonly instruction: string
  /** True when no `try` may catch it: the run is over, or the platform itself can't go on. */
  readonly fatal: boolean
  /** Set once an event has reported it: the innermost call does, the ones around it don't. */
  reported = false
  /** How many effects the run had begun when it happened. */
  effects: number | undefined

  constructor(cause: unknown, automationSlug: string, instruction: string) {
    super('An automation failed.', { cause })
    this.failure = failureOf(cause)
    this.automationSlug = automationSlug
    this.instruction = instruction
    this.fatal = cause instanceof RunEnded || cause instanceof StoreError || this.failure.status >= 500
  }
}

/** Ends a run from outside: its time is over, or another instance has taken it. */
export class RunEnded extends Error {
  override readonly name = 'RunEnded'
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

/** Ends a run because somebody wants it to; its `finally` goes on for a while. */
export class RunCancelled extends RunEnded {}

/** Remembers where a failure happened; the innermost place wins. */
export function located(error: unknown, automationSlug: string, instruction: string): unknown {
  if (error instanceof AutomationFailure || error instanceof Break) return error
  return new AutomationFailure(error, automationSlug, instruction)
}

/** What `break` throws: not an error, so it carries no stack. */
export class Break {
  readonly scope: 'automation' | 'repeat' | 'all'
  readonly payload: unknown

  constructor(scope: Break['scope'], payload: unknown) {
    this.scope = scope
    this.payload = payload
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (error instanceof RunEnded) return error.failure
  if (error instanceof ExpressionError) return failureOfExpression(error)
  if (error instanceof StoreError && error.unavailable) {
    return new Failure(
      'ServiceUnavailable',
      'A store the automation needs does not answer: try again shortly.',
      {
        cause: error,
        retryAfterSeconds: 1,
      },
    )
  }
  return new Failure(
    'InternalError',
    'Something went wrong on our side; the correlation id names it in the log.',
    {
      cause: error,
    },
  )
}

/** What a scope throws arrives as the cause: that failure is the one to report. */
const failureOfExpression = (error: ExpressionError): Failure =>
  error.cause instanceof Failure ? error.cause : new Failure(error.name, error.message, { cause: error })
