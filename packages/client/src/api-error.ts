import type { FailureBody, FailureName } from '@platform/kernel'

/** The API refused a call: what every error of the platform tells, typed. */
export class ApiError extends Error {
  /** Stable name, for example `ObjectNotFoundError`; undefined where something else than the platform answered. */
  readonly error: FailureName | undefined
  readonly status: number
  /** For programs, where the error has them. */
  readonly details: unknown
  /** Seconds after which another attempt may be made, where the server said so. */
  readonly retryAfterSeconds: number | undefined
  /** Names the call in the logs and events of the platform. */
  readonly correlationId: string | undefined

  private constructor(status: number, body: Partial<FailureBody>, headers: Headers) {
    super(body.message ?? `The server answered ${status} without a known error.`)
    this.name = 'ApiError'
    this.error = body.error
    this.status = status
    this.details = body.details
    const seconds = Number(headers.get('retry-after'))
    this.retryAfterSeconds = seconds > 0 ? seconds : undefined
    this.correlationId = headers.get('x-correlation-id') ?? undefined
  }

  /** Of a response that is no success; reads its body. */
  static async of(response: Response): Promise<ApiError> {
    return new ApiError(response.status, bodyOf(await response.text()), response.headers)
  }
}

function bodyOf(text: string): Partial<FailureBody> {
  try {
    const { error, message, details } = JSON.parse(text) as Partial<FailureBody>
    return typeof error === 'string' && typeof message === 'string' ? { error, message, details } : {}
  } catch {
    return {}
  }
}
