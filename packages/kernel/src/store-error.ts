/**
 * What the ports (database, cache, broker, search) throw. `name` is stable whatever the driver threw inside, so that a
 * readiness report can show it. `unavailable` tells a store that can't answer now (503 to a caller) from a wrong
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
