import { type Logger as PinoLogger, pino } from 'pino'
import { redactedPaths, scrub } from './redaction.ts'

/** What the platform logs with: pino, fields first, a fixed lower-case sentence second. */
export type Logger = PinoLogger

/** The one logger of a process, made in main. `level` is a pino level; `silent` for tests. */
export const createLogger = (options: {
  level: string
  destination?: { write(line: string): void }
}): Logger =>
  pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: redactedPaths, censor: '[redacted]' },
      serializers: { err: (error: unknown) => describeError(error) },
    },
    options.destination ?? pino.destination({ fd: 1, sync: false, minLength: 0 }),
  )

/** Name, message, stack and causes of an error, without credentials. */
function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return scrub(String(error))
  return {
    name: error.name,
    message: scrub(error.message),
    stack: scrub(error.stack ?? ''),
    cause: error.cause === undefined || depth > 3 ? undefined : describeError(error.cause, depth + 1),
  }
}
