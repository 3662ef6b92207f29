import { type Logger as PinoLogger, pino } from 'pino'
import { describeError } from './describe-error.ts'
import { redactedPaths } from './redaction.ts'

/** What the platform logs with: pino, fields first, a fixed lower-case sentence second. */
export type Logger = PinoLogger

/** The one logger of a process, made in main. `level` is a pino level; `silent` for tests. A reader that goes away is no error. */
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
    // Lines leave together, at the latest after 100 ms: a write for each costs more than everything else about it.
    options.destination ?? pino.destination({ fd: 1, sync: false, minLength: 4096, periodicFlush: 100 }),
  )
