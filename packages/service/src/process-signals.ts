import { type Logger, scrub } from '@platform/logging'
import { contained, STOP_WORKER } from './processes/contained.ts'

const CRASH_GRACE_MS = 5000

/** Why the process stops, where a bug is the reason. */
export const CRASHED = 'crashed'

/** The first signal stops in order; the second, or the grace period, ends the process. */
export function stopOnSignals(stopping: AbortController, graceMs: number): void {
  const stop = () => {
    if (stopping.signal.aborted) process.exit(1)
    stopping.abort()
    setTimeout(() => process.exit(1), graceMs).unref()
  }
  const stopOnce = () => {
    if (!stopping.signal.aborted) stop()
  }
  // SIGINT and SIGHUP come from a terminal, to all of its processes at once: one that was started by another of ours
  // goes on for as long as that one needs it.
  const ofTerminal = contained() === undefined ? stop : () => undefined
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, ofTerminal)
  process.on('SIGTERM', stop)
  if (process.send !== undefined) process.on('message', (message) => message === STOP_WORKER && stopOnce())
  stopWithParent(stopOnce)
}

/**
 * An error that was not caught is a bug: it is logged, the process stops in order and ends with 1. One of several ends
 * at once, as if it had been killed: what it held is then looked at one by one.
 */
export function crashOnBugs(stopping: AbortController, log: Logger): void {
  let crashes = 0
  const crash = (error: unknown) => {
    crashes += 1
    process.exitCode = 1
    if (contained() !== undefined) return endAtOnce(error)
    if (crashes > 1) {
      log.error({ err: error }, 'another unexpected error while the process stops')
      return
    }
    log.fatal({ err: error }, 'unexpected error, the process stops')
    stopping.abort(CRASHED)
    setTimeout(() => process.exit(1), CRASH_GRACE_MS).unref()
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
}

function endAtOnce(error: unknown): void {
  process.stderr.write(`${scrub(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`)
  process.exit(1)
}

/**
 * A reader that goes away (`npm start | head`) is no reason to stop; without listeners it would be an uncaught
 * exception.
 */
export function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
}

/** Calls `stop` when the process that started this one disappears, so that nothing is left behind. */
function stopWithParent(stop: () => void): void {
  const parent = process.ppid
  if (parent <= 1) return
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    stop()
  }, 1000)
  timer.unref()
}
