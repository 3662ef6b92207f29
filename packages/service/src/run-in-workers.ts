import cluster, { type Worker } from 'node:cluster'
import { availableParallelism } from 'node:os'
import { type Env, readConfig } from '@platform/config'
import { createLogger } from '@platform/logging'
import { z } from 'zod'
import { reportMetrics } from './metrics-page.ts'
import { processEnv } from './run.ts'
import { explainStartFailure } from './start-failure.ts'
import { WORKER_READY, Workers } from './workers.ts'

/** How many processes share the port of a service: a number, or `auto` for one a core. */
export const workersField = z
  .string()
  .regex(/^(?:auto|[1-9]\d?)$/, 'must be auto or a number from 1 to 99')
  .default('1')
  .transform((text) => (text === 'auto' ? availableParallelism() : Number(text)))

/**
 * Runs `work` in as many processes as the environment variable says; one is this process itself. More share its port,
 * are started again when they crash, and stop when this one is asked to: its exit code is 0 when all of theirs are.
 */
export async function runInWorkers(
  env: Env,
  variable: string,
  work: (ready: () => void) => Promise<void>,
): Promise<void> {
  if (cluster.worker !== undefined) return runAsWorker(cluster.worker, work)
  // An argument is a command, for one process.
  if (process.argv.length > 2) return work(() => undefined)
  const given = workersOf(env, variable)
  if (given === undefined) return undefined
  if (given.count === 1) return work(() => undefined)
  const workers = new Workers(createLogger({ level: env.LOG_LEVEL ?? 'info', isShared: true }), given.graceMs)
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => workers.stop())
  process.exitCode = await workers.run(given.count)
  return undefined
}

async function runAsWorker(worker: Worker, work: (ready: () => void) => Promise<void>): Promise<void> {
  // Otherwise Node ends this process at once when the first one disappears, whatever it is answering.
  worker.exitedAfterDisconnect = true
  reportMetrics()
  await work(() => process.send?.(WORKER_READY))
  if (process.connected) process.disconnect()
}

/** Undefined after a problem was written to the output. */
function workersOf(env: Env, variable: string): { count: number; graceMs: number } | undefined {
  try {
    const { [variable]: count = 1 } = readConfig(z.object({ [variable]: workersField }), env)
    const { SHUTDOWN_GRACE_MS: graceMs } = readConfig(processEnv.pick({ SHUTDOWN_GRACE_MS: true }), env)
    return { count, graceMs }
  } catch (error) {
    for (const sentence of explainStartFailure(error, env.CONFIGURED_IN))
      process.stderr.write(`${sentence}\n`)
    process.exitCode = 1
    return undefined
  }
}
