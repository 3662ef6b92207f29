import cluster from 'node:cluster'
import type { Logger } from '@platform/logging'
import { stopWithParent } from './stop-with-parent.ts'
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

/** A bug that nobody caught: say so, stop in order, end with 1. Going on would serve from a state nobody knows. */
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
