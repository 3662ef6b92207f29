import { describe, expect, test } from 'vitest'
import { Failure, failures, isFailureName } from './failure.ts'

/** Names and statuses that callers rely on, written here a second time. */
const promised =
  '`RequestValidationError` 400, `InvalidApiVersion` 400, `InvalidAutomation` 400, ' +
  '`InvalidArgumentsError` 400, `InvalidInstructionError` 400, `InvalidExpressionSyntax` 400, ' +
  '`TooManyCallError` 400, `WorkflowTimeoutError` 400, `AuthenticationError` 401, ' +
  '`ForbiddenError` 403, `InsufficientScope` 403, `ObjectNotFoundError` 404, `UnknownVersion` 404, ' +
  '`AlreadyUsed` 409, `RetiredVersion` 410, `PreconditionFailed` 412, `PayloadTooLarge` 413, ' +
  '`EventTooLarge` 413, `UnsupportedMediaType` 415, `IdempotencyKeyReused` 422, ' +
  '`ResourceLocked` 423, `TooManyRequests` 429, `InternalError` 500, `ServiceUnavailable` 503, ' +
  '`GatewayTimeout` 504'

describe('the table of failures', () => {
  test('holds every promised name with its status', () => {
    const table = [...promised.matchAll(/`(\w+)` (\d+)/g)].map(([, name, status]) => [name, Number(status)])
    expect(table).toHaveLength(25)
    expect(failures).toMatchObject(Object.fromEntries(table))
  })

  test('has PascalCase names and error statuses only', () => {
    for (const [name, status] of Object.entries(failures)) {
      expect(name).toMatch(/^[A-Z][A-Za-z]+$/)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).toBeLessThan(600)
    }
  })

  test('knows its names, and not those every object has', () => {
    expect(isFailureName('ForbiddenError')).toBe(true)
    expect(isFailureName('toString')).toBe(false)
    expect(isFailureName('__proto__')).toBe(false)
  })
})

describe('a failure', () => {
  test('shows name, message and details, never its cause', () => {
    const failure = new Failure('AlreadyUsed', 'The slug is taken.', {
      details: { slug: 'a' },
      cause: new Error('duplicate key value violates unique constraint'),
    })
    expect(failure.status).toBe(409)
    expect(JSON.parse(JSON.stringify(failure))).toEqual({
      error: 'AlreadyUsed',
      message: 'The slug is taken.',
      details: { slug: 'a' },
    })
  })

  test('leaves details out where there are none', () => {
    const failure = new Failure('ServiceUnavailable', 'Try again.', { retryAfterSeconds: 2 })
    expect(Object.keys(failure.toJSON())).toEqual(['error', 'message'])
    expect(failure.retryAfterSeconds).toBe(2)
    expect('cause' in failure).toBe(false)
  })
})
