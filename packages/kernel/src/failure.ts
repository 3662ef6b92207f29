/** Every failure a caller can see: its stable name and its HTTP status. */
export const failures = {
  RequestValidationError: 400,
  InvalidApiVersion: 400,
  InvalidAutomation: 400,
  InvalidArgumentsError: 400,
  InvalidInstructionError: 400,
  InvalidFunction: 400,
  FunctionError: 400,
  InvalidExpressionSyntax: 400,
  InvalidVariableNameError: 400,
  InvalidEventError: 400,
  InvalidSlugError: 400,
  InvalidSecurity: 400,
  InvalidPassword: 400,
  InvalidFile: 400,
  InvalidOrExpiredToken: 400,
  TooManyCallError: 400,
  WorkflowTimeoutError: 400,
  AuthenticationError: 401,
  MissingMFA: 401,
  ValidateEmailError: 401,
  ManualValidateEmailError: 401,
  ForbiddenError: 403,
  InsufficientScope: 403,
  SuspendedWorkspaceError: 403,
  ObjectNotFoundError: 404,
  UnknownVersion: 404,
  MethodNotAllowed: 405,
  RequestTimeout: 408,
  AlreadyUsed: 409,
  DomainAlreadyUsed: 409,
  IdempotencyKeyInUse: 409,
  AlreadyCreated: 409,
  OutcomeUnknown: 409,
  RunEnded: 409,
  RunNotEnded: 409,
  RetiredVersion: 410,
  RunExpired: 410,
  PreconditionFailed: 412,
  PayloadTooLarge: 413,
  EventTooLarge: 413,
  UnsupportedMediaType: 415,
  ExpectationFailed: 417,
  IdempotencyKeyReused: 422,
  ResourceLocked: 423,
  StreamInterrupted: 424,
  TooManyRequests: 429,
  HeadersTooLarge: 431,
  InternalError: 500,
  ServiceUnavailable: 503,
  GatewayTimeout: 504,
} as const

/** The stable name of a failure. */
export type FailureName = keyof typeof failures

/** True when a text is the name of a failure a caller can see. */
export const isFailureName = (name: string): name is FailureName => Object.hasOwn(failures, name)

/** The body of every error response. */
export interface FailureBody {
  error: FailureName
  message: string
  details?: unknown
}

/** The one error class a caller sees. `message` and `details` are public; `cause` stays in the logs. */
export class Failure extends Error {
  override readonly name: FailureName
  readonly details: unknown
  /** Seconds a caller should wait, sent as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    name: FailureName,
    message: string,
    options: { details?: unknown; cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = name
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
  }

  get status(): number {
    return failures[this.name]
  }

  toJSON(): FailureBody {
    const body: FailureBody = { error: this.name, message: this.message }
    if (this.details !== undefined) body.details = this.details
    return body
  }
}

/**
 * What the ports (database, cache, broker, search) throw. `name` is stable whatever the driver threw inside, so that a
 * readiness report can show it. `unavailable` separates a store that can't answer now (503 to a caller) from a wrong
 * statement (500).
 */
export class StoreError extends Error {
  readonly unavailable: boolean
  /** The driver's own code, for example an SQLSTATE. */
  readonly code: string | undefined

  constructor(
    message: string,
    options: { cause?: unknown; unavailable: boolean; code?: string | undefined },
  ) {
    super(message, { cause: options.cause })
    this.unavailable = options.unavailable
    this.code = options.code
  }
}
