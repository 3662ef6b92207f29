import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { count, type Env, readConfig } from '@platform/config'
import { systemClock } from '@platform/kernel'
import { createLogger, type Logger } from '@platform/logging'
import { z } from 'zod'
import { Resources } from './resources.ts'
import type { Service } from './service.ts'
import { explainStartFailure } from './start-failure.ts'
import { type RunningService, startService } from './start-service.ts'
import { stopWithParent } from './stop-with-parent.ts'

/** The environment of the process itself; services read their own. */
export const processEnv = z.object({
  NODE_ENV: z
    .string()
    .default('production')
    .describe('development relaxes what production refuses, for example plain http.'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least level that is logged.'),
  SHUTDOWN_GRACE_MS: count(30_000).describe(
    'Milliseconds after which a stopping process ends whatever is still open.',
  ),
  SHUTDOWN_DELAY_MS: count(0).describe(
    'Milliseconds between not ready and not listening, for load balancers.',
  ),
})

export interface RunOptions {
  /** Called when every service is ready. */
  ready?: (running: readonly RunningService[], env: Env) => void | Promise<void>
}

/**
 * Runs services until SIGTERM or SIGINT, then closes them in reverse order and lets the process end with 0. A second signal or the
 * grace period ends it with 1; a start that fails says why in a sentence and ends it with 1. `environment` may be made by a function, so
 * that its failures are told the same way.
 */
export async function run(
  services: readonly Service[],
  environment: Env | (() => Env),
  options: RunOptions = {},
): Promise<void> {
  const stopping = new AbortController()
  let log: Logger | undefined
  try {
    const env = typeof environment === 'function' ? environment() : environment
    const config = readConfig(processEnv, env)
    log = createLogger({ level: config.LOG_LEVEL })
    stopOnSignals(stopping, config.SHUTDOWN_GRACE_MS)
    crashOnBugs(stopping, log)
    await serve(services, env, { config, log, stopping }, options)
  } catch (error) {
    for (const sentence of explainStartFailure(error)) process.stderr.write(`${sentence}\n`)
    log?.debug({ err: error }, 'start failed')
    process.exitCode = 1
    stopping.abort()
    exitSoon()
  }
}

interface Running {
  config: z.output<typeof processEnv>
  log: Logger
  stopping: AbortController
}

async function serve(
  services: readonly Service[],
  env: Env,
  { config, log, stopping }: Running,
  options: RunOptions,
) {
  const development = config.NODE_ENV !== 'production'
  await using resources = new Resources(log, { development: config.NODE_ENV === 'test' })
  await using stack = new AsyncDisposableStack()
  const running: RunningService[] = []
  for (const service of services) {
    if (stopping.signal.aborted) break
    const context = { log, clock: systemClock, version: productVersion(), development }
    const drain = { drainDelayMs: config.SHUTDOWN_DELAY_MS, signal: stopping.signal }
    running.push(stack.use(await startService(service, env, resources, context, drain)))
  }
  if (!stopping.signal.aborted) await options.ready?.(running, env)
  if (!stopping.signal.aborted) await once(stopping.signal, 'abort')
  log.info('stopping')
}

/** The first signal stops in order; the second, or the grace period, ends the process. */
function stopOnSignals(stopping: AbortController, graceMs: number): void {
  const stop = () => {
    if (stopping.signal.aborted) process.exit(1)
    stopping.abort()
    setTimeout(() => process.exit(1), graceMs).unref()
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  stopWithParent(() => {
    if (!stopping.signal.aborted) stop()
  })
}

/** A bug that nobody caught: say so, stop in order, end with 1. Going on would serve from a state nobody knows. */
function crashOnBugs(stopping: AbortController, log: Logger): void {
  const crash = (error: unknown) => {
    log.fatal({ err: error }, 'unexpected error, the process stops')
    process.exitCode = 1
    stopping.abort()
    setTimeout(() => process.exit(1), 5000).unref()
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
}

/** After a failed start nothing may keep the process: what is open was closed already, or never will be. */
const exitSoon = () => setTimeout(() => process.exit(1), 2000).unref()

function productVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return manifest.version
}
