import { type LoggerOptions, type Logger as PinoLogger, pino } from 'pino'
import { describeError } from './describe-error.ts'
import { safeLine, UNMIXED_BYTES, unmixedLine } from './line-shape.ts'
import { redactedPaths } from './redaction.ts'
import { standardOutput } from './standard-output.ts'

/** What the platform logs with: pino, fields first, a fixed lower-case sentence second. */
export type Logger = PinoLogger

const WARN = 40
const FATAL = 60
/** Warnings and errors a second; thousands of the same would hide the first, and fill the disk. */
const TROUBLES_PER_SECOND = 90

/**
 * The one logger of a process, made in main. `level` is a pino level; `silent` for tests. A reader that goes away is
 * no error. No line is longer than 64 KB or holds a character that a terminal obeys; of warnings and errors 90 a
 * second are written, and how many were not. Where other processes write to the same output (`isShared`), lines are
 * at most 4 KB, so that no two of them mix.
 */
export function createLogger(options: {
  level: string
  destination?: { write(line: string): void }
  isShared?: boolean
}): Logger {
  const isShared = options.isShared === true
  const destination = options.destination ?? standardOutput(isShared)
  const limit = new LineLimit(TROUBLES_PER_SECOND)
  const log = pino(
    {
      ...settings,
      level: options.level,
      hooks: { logMethod: limited(limit, () => reportDropped(limit, log)) },
    },
    linesTo(destination, isShared),
  )
  return log
}

/** Where a logger writes. `writeSafe` takes lines that are known to be harmless, several at once. */
export interface LineStream {
  write(line: string): void
  writeSafe(lines: string): void
  /** Characters that may be given at once; a single line may be longer. */
  readonly batchCharacters: number
}

const BATCH_CHARACTERS = 32_000

const linesTo = (destination: { write(line: string): void }, isShared: boolean): LineStream => ({
  write: (line) => destination.write(isShared ? unmixedLine(line) : safeLine(line)),
  writeSafe: (lines) => destination.write(lines),
  batchCharacters: isShared ? UNMIXED_BYTES : BATCH_CHARACTERS,
})

const settings: LoggerOptions = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: (label) => ({ level: label }) },
  redact: { paths: redactedPaths, censor: '[redacted]' },
  serializers: { err: (error: unknown) => describeError(error) },
}

type LogMethod = NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']>

/** Lets information through and counts warnings and errors. A fatal line is always written. */
function limited(limit: LineLimit, report: () => void): LogMethod {
  let isCounting = false
  return function logMethod(args, method, level) {
    if (level < WARN || level >= FATAL || limit.admits(Date.now())) return method.apply(this, args)
    if (isCounting) return
    isCounting = true
    setTimeout(() => {
      isCounting = false
      report()
    }, 1000).unref()
  }
}

function reportDropped(limit: LineLimit, log: Logger): void {
  const dropped = limit.takeDropped()
  if (dropped > 0) log.warn({ dropped }, 'too much trouble at once, lines were left out')
}

/** How many lines of a kind a second may have; lines beyond that are counted, so that their number can be logged. */
class LineLimit {
  readonly #perSecond: number
  #second = Number.NEGATIVE_INFINITY
  #written = 0
  #dropped = 0

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  /** True when one more line may be written at `nowMs`. */
  admits(nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#written = 0
    }
    this.#written += 1
    if (this.#written <= this.#perSecond) return true
    this.#dropped += 1
    return false
  }

  /** How many were refused since the last time somebody asked. */
  takeDropped(): number {
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped
  }
}
