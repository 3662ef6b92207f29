import cluster, { type Worker } from 'node:cluster'
import { availableParallelism } from 'node:os'
import { type Env, readConfig } from '@platform/config'
import { createLogger } from '@platform/logging'
import { z } from 'zod'
import { explainStartFailure } from './start-failure.ts'
import { Workers } from './workers.ts'

/** How many processes share the port of a service: a number, or `auto` for one a core. */
export const workersField = z
  .string()
  .regex(/^(?:auto|[1-9]\d?)$/, 'must be auto or a number from 1 to 99')
  .default('1')
  .transform((text) => (text === 'auto' ? availableParallelism() : Number(text)))

/** What a process of several tells the one that started it. */
const WORKER_READY = 'ready'

/**
 * Runs `work` in as many processes as the environment variable says; one is this process itself. More share its port, are started
 * again when they crash, and stop when this one is told to: its exit code is 0 when all of theirs are.
 */
export async function runInWorkers(
  env: Env,
  variable: string,
  work: (ready: () => void) => Promise<void>,
): Promise<void> {
  if (cluster.worker !== undefined) return runAsWorker(cluster.worker, work)
  const count = workersOf(env, variable)
  if (count === undefined) return undefined
  if (count === 1) return work(() => undefined)
  const workers = new Workers(createLogger({ level: env.LOG_LEVEL ?? 'info' }))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => workers.stop())
  process.exitCode = await workers.run(count)
  return undefined
}

async function runAsWorker(worker: Worker, work: (ready: () => void) => Promise<void>): Promise<void> {
  // Otherwise Node ends this process at once when the first one disappears, whatever it is answering.
  worker.exitedAfterDisconnect = true
  await work(() => process.send?.(WORKER_READY))
  if (process.connected) process.disconnect()
}

/** Undefined after a problem was told. */
function workersOf(env: Env, variable: string): number | undefined {
  try {
    const read = readConfig(z.object({ [variable]: workersField }), env)
    return read[variable]
  } catch (error) {
    for (const sentence of explainStartFailure(error)) process.stderr.write(`${sentence}\n`)
    process.exitCode = 1
    return undefined
  }
}
