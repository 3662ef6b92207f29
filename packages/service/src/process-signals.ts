import cluster from 'node:cluster'
import type { Logger } from '@platform/logging'
import { STOP_WORKER } from './workers.ts'

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
  // SIGHUP comes from a terminal that is closed.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop)
  if (cluster.isWorker) process.on('message', (message) => message === STOP_WORKER && stopOnce())
  stopWithParent(stopOnce)
}

/** An error that was not caught is a bug: it is logged, the process stops in order and ends with 1. */
export function crashOnBugs(stopping: AbortController, log: Logger): void {
  let crashes = 0
  const crash = (error: unknown) => {
    crashes += 1
    process.exitCode = 1
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
