import { type FailureBody, type FailureName, failures } from '@platform/kernel'

/** What is worth showing beside the usual sentence. */
const examples: Partial<Record<FailureName, Omit<FailureBody, 'error'>>> = {
  RequestValidationError: {
    message: 'body.name: is required.',
    details: [{ path: 'body.name', message: 'is required' }],
  },
  InvalidApiVersion: { message: 'X-Platform-API-Version must be a date such as 2026-01-31.' },
  InvalidAutomation: {
    message: 'do[0]: the instruction "sett" is not known.',
    details: [{ path: 'do[0]', line: 4, column: 3, message: 'the instruction "sett" is not known' }],
  },
  InvalidArgumentsError: {
    message: 'The argument city must be a string.',
    details: [{ path: 'city', message: 'must be a string' }],
  },
  InvalidInstructionError: { message: 'do[2].repeat: needs "on" or "until".' },
  InvalidExpressionSyntax: { message: 'do[1].set.value: the expression {% 1 + %} ends too early.' },
  InvalidSecurity: { message: 'The subject platform can not be restricted to a workspace.' },
  InvalidPassword: { message: 'The current password is not right.' },
  InvalidFile: { message: 'The file is no picture: send a PNG, JPEG, GIF or WebP.' },
  InvalidOrExpiredToken: { message: 'The link is not valid any more: ask for a new one.' },
  TooManyCallError: { message: 'An automation may call others 50 deep: this call would be the next.' },
  WorkflowTimeoutError: { message: 'The automation did not end within its time.' },
  AuthenticationError: { message: 'No credential was sent: sign in, or send an access token.' },
  MissingMFA: { message: 'The code is not right.' },
  ForbiddenError: { message: 'Only an owner of the workspace may do this.' },
  InsufficientScope: {
    message: 'The token lacks the scope workspaces:write.',
    details: { scope: 'workspaces:write' },
  },
  ObjectNotFoundError: { message: 'There is no such thing, or you may not know of it.' },
  AlreadyUsed: { message: 'The slug is taken: choose another one.', details: { slug: 'my-shop' } },
  DomainAlreadyUsed: { message: 'The domain example.com belongs to another provider.' },
  PreconditionFailed: {
    message: 'It was changed since you read it: read it again, then repeat your change.',
  },
  PayloadTooLarge: { message: 'The body is larger than 1,000,000 bytes.' },
  EventTooLarge: { message: 'events.0 is larger than an event may be.' },
  UnsupportedMediaType: {
    message: 'The Content-Type is missing: send application/json.',
    details: { accepted: ['application/json'] },
  },
  IdempotencyKeyReused: { message: 'This Idempotency-Key was used with another body.' },
  HeadersTooLarge: { message: 'The headers are larger than 16 KB: send fewer.' },
  RequestTimeout: { message: 'The request did not arrive in time: send it again, faster.' },
  IdempotencyKeyInUse: {
    message: 'A request with this Idempotency-Key is still running: ask again shortly.',
  },
  AlreadyCreated: {
    message: 'This was created already; its answer held a secret and is shown once.',
    details: { _id: '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33' },
  },
  OutcomeUnknown: {
    message: 'It is not known whether the first request with this key was done: look before you repeat it.',
  },
  TooManyRequests: { message: 'That is too often: try again in 12 seconds.', details: { retryAfter: 12 } },
  InternalError: { message: 'Something went wrong on our side; the correlation id names it in the log.' },
  ServiceUnavailable: { message: 'A store the platform needs does not answer: try again shortly.' },
  GatewayTimeout: { message: 'A service did not answer in time.' },
}

/** A worked example of every failure, by its name. */
export const failureExamples: Readonly<Record<string, { summary: string; value: FailureBody }>> =
  Object.fromEntries(
    (Object.keys(failures) as FailureName[]).map((name) => [
      name,
      {
        summary: `${failures[name]} ${name}`,
        value: {
          error: name,
          ...(examples[name] ?? { message: 'One sentence that names the thing and the remedy.' }),
        },
      },
    ]),
  )
