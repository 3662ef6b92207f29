import cluster from 'node:cluster'
import { readFileSync } from 'node:fs'
import {
  ConfigError,
  count,
  type Env,
  nodeEnv,
  type ResolvedSecrets,
  readConfig,
  resolveSecrets,
} from '@platform/config'
import { systemClock } from '@platform/kernel'
import { createLogger, type Logger } from '@platform/logging'
import { z } from 'zod'
import type { HttpServer } from './http-server.ts'
import { installationFields, requireInstallation } from './installation.ts'
import { addMetricsPages, reportMetrics } from './metrics-page.ts'
import { observabilityFields, observeProcess } from './observe-process.ts'
import { crashOnBugs, stopOnSignals, surviveClosedOutput } from './process-signals.ts'
import type { Contained } from './processes/contained.ts'
import { Resources } from './resources.ts'
import { retryUntilAvailable, StartInterrupted, type Waiting } from './retry-until-available.ts'
import { type Command, commandOf, migrationEnv, runMigrations } from './run-migrations.ts'
import type { Service, ServiceContext } from './service.ts'
import { settingsOf } from './settings.ts'
import { explainStartFailure } from './start-failure.ts'
import { collectStart } from './start-garbage.ts'
import { aborted, listenEarly, listeningFields, type RunningService, startService } from './start-service.ts'
import { keepObjectsYoung } from './young-objects.ts'

/** The environment of the process itself; services read their own. */
export const processEnv = z.object({
  NODE_ENV: nodeEnv,
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least level that is logged.'),
  CONFIGURED_IN: z
    .string()
    .optional()
    .describe('Where these variables are set, for example a file: a failed start names it.'),
  ...listeningFields,
  ...observabilityFields,
  ...installationFields,
  SHUTDOWN_GRACE_MS: count(30_000).describe(
    'Milliseconds after which a stopping process ends whatever is still open.',
  ),
  SHUTDOWN_DELAY_MS: count(0)
    .unwrap()
    .optional()
    .describe(
      'Milliseconds a stopping process still answers after it is not ready, for load balancers: ' +
        '2000 for a service alone in production, else 0.',
    ),
})

export interface RunOptions {
  /** Called when every service is ready. */
  ready?: (running: readonly RunningService[], env: Env) => void | Promise<void>
  /** Adds what the environment leaves open, once its secrets are read; what it throws fails the start. */
  complete?: (env: Env, command: Command) => Env | Promise<Env>
  /** What the process was asked to do: those of the command line without them. */
  arguments?: readonly string[]
  /** What the process itself reads beside what its services do. */
  variables?: readonly z.ZodType[]
  /**
   * Where the variables of the environment come from, the first that has one; all from the `environment` without it.
   */
  sources?: (env: Env) => Record<string, Env>
  /** True where other processes write to the same output. */
  isOutputShared?: boolean
}

interface Running {
  config: z.output<typeof processEnv>
  log: Logger
  stopping: AbortController
}

/**
 * Runs services until SIGTERM or SIGINT, then closes them in reverse order and lets the process end with 0. A second
 * signal or the grace period ends it with 1; a start that fails says why in a sentence and ends it with 1.
 * Secrets may stand in files. With the argument `migrate` it only brings the database up to date, which needs the
 * variables of the database and no others.
 */
export async function run(
  services: readonly Service[],
  environment: Env,
  options: RunOptions = {},
): Promise<void> {
  const stopping = new AbortController()
  let log: Logger | undefined
  keepObjectsYoung()
  surviveClosedOutput()
  try {
    const command = commandOf(options.arguments ?? process.argv.slice(2))
    const read = command === 'migrate' ? [migrationEnv] : Object.values(schemasOf(services, options)).flat()
    const given = resolveSecrets(read, environment)
    const env = (await options.complete?.(given.env, command)) ?? given.env
    const config = readEveryConfig(command === 'migrate' ? [] : services, env)
    log = createLogger({
      level: config.LOG_LEVEL,
      isShared: cluster.isWorker || options.isOutputShared === true,
    })
    stopOnSignals(stopping, config.SHUTDOWN_GRACE_MS)
    crashOnBugs(stopping, log)
    const running = { config, log, stopping }
    if (command === 'migrate') await runMigrations(services, env, running)
    else await serve(services, env, running, { ...options, sources: sourcesOf(options, given) })
  } catch (error) {
    for (const sentence of explainStartFailure(error, environment.CONFIGURED_IN))
      process.stderr.write(`${sentence}\n`)
    log?.debug({ err: error }, 'start failed')
    process.exitCode = 1
    stopping.abort()
  }
  exitSoon(log)
}

/** Runs a service in a process that another one has started and watches. */
export async function runContained(self: Contained, service: Service, env: Env): Promise<void> {
  reportMetrics()
  const ready = () => {
    collectStart()
    self.ready()
  }
  await run([service], env, { arguments: [], isOutputShared: true, ready })
  self.leave()
}

/** The problems of all services at once, before anything is opened. */
function readEveryConfig(services: readonly Service[], env: Env): z.output<typeof processEnv> {
  const problems: string[] = []
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(...error.problems)
      return undefined
    }
  }
  const config = attempt(() => readConfig(processEnv, env))
  for (const service of services) attempt(() => service.address?.(env))
  if (config === undefined || problems.length > 0) throw new ConfigError([...new Set(problems)])
  return config
}

async function serve(
  services: readonly Service[],
  env: Env,
  { config, log, stopping }: Running,
  options: RunOptions & Required<Pick<RunOptions, 'sources'>>,
): Promise<void> {
  const { signal } = stopping
  const context: ServiceContext = {
    log,
    clock: systemClock,
    version: productVersion(),
    development: config.NODE_ENV !== 'production',
    settings: () => settingsOf(schemasOf(services, options), options.sources(env)),
  }
  await using _observed = await observeProcess({
    config,
    env,
    log,
    version: context.version,
    services: services.map(({ name }) => name),
  })
  await using resources = new Resources(log, {
    development: config.NODE_ENV === 'test',
    ...(context.development ? { report: (sentence) => process.stderr.write(`${sentence}\n`) } : {}),
  })
  await using stack = new AsyncDisposableStack()
  try {
    const limits = {
      drainDelayMs: drainDelayOf(config, services),
      patienceMs: patienceOf(config),
      signal,
    }
    const running = await startAll(services, env, { resources, context, limits, stack })
    if (!signal.aborted) await options.ready?.(running, env)
  } catch (error) {
    if (!(error instanceof StartInterrupted)) throw error
  }
  await aborted(signal)
  log.info('stopping')
}

interface StartContext {
  resources: Resources
  context: ServiceContext
  limits: { drainDelayMs: number; patienceMs: number; signal: AbortSignal }
  /** Closes what was started, the last first. */
  stack: AsyncDisposableStack
}

/** Starts services one after the other; all of them listen before the first is built, which may wait for a store. */
async function startAll(
  services: readonly Service[],
  env: Env,
  { resources, context, limits, stack }: StartContext,
): Promise<RunningService[]> {
  const servers = new Map<Service, HttpServer>()
  // While the first waits for a store the others wait for the first: each shows the same.
  const waiting: Waiting = { obstacle: undefined }
  for (const service of services.filter(({ startElsewhere }) => startElsewhere === undefined)) {
    const server = await listenEarly(service, env, context, { patienceMs: limits.patienceMs, waiting })
    if (server !== undefined) servers.set(service, stack.use(server))
  }
  const retry = { log: context.log, signal: limits.signal, notices: resources.notices, waiting }
  await retryUntilAvailable(() => requireInstallation(env, resources), retry)
  const running: RunningService[] = []
  const elsewhere: Promise<void>[] = []
  const others = () => Promise.all(elsewhere)
  for (const service of services) {
    if (service.startElsewhere !== undefined) {
      const started = stack.use(service.startElsewhere(env, context))
      stack.use(addMetricsPages(() => started.pages()))
      running.push({ ...started, name: service.name, [Symbol.asyncDispose]: async () => undefined })
      elsewhere.push(started.ready)
      // Told below; until then it is nobody's.
      started.ready.catch(() => undefined)
      continue
    }
    // The last one is the first to stop, and all requests come through it: only it is seen by a load balancer, which
    // must not send what one that starts elsewhere can't take yet.
    const seen = service === services.at(-1) ? { others } : { drainDelayMs: 0 }
    const options = { ...limits, ...seen, server: servers.get(service) }
    running.push(stack.use(await startService(service, env, resources, context, options)))
  }
  await Promise.race([others(), aborted(limits.signal)])
  return running
}

/** What came from a file is told as such, whatever else the process says about its variables. */
const sourcesOf =
  (options: RunOptions, { env: given, fromFiles }: ResolvedSecrets) =>
  (env: Env): Record<string, Env> => ({
    'secret file': fromFiles,
    ...(options.sources?.(env) ?? { environment: given }),
  })

const schemasOf = (services: readonly Service[], own: RunOptions): Record<string, readonly z.ZodType[]> => ({
  process: [processEnv, ...(own.variables ?? [])],
  ...Object.fromEntries(services.map(({ name, variables = [] }) => [name, variables])),
})

/** Longer than a load balancer that asks every half second needs to see a 503 twice. */
const DRAIN_DELAY_MS = 2000
/** What stopping needs after the last request: subscriptions, the outbox, the log, the stores. */
const CLOSING_MS = 5000

/** A process on its own in production has a load balancer in front of it, or the gateway. */
function drainDelayOf(config: Running['config'], services: readonly Service[]): number {
  if (config.SHUTDOWN_DELAY_MS !== undefined) return config.SHUTDOWN_DELAY_MS
  if (services.length > 1 || config.NODE_ENV !== 'production') return 0
  return Math.min(DRAIN_DELAY_MS, config.SHUTDOWN_GRACE_MS / 10)
}

/** How long requests in flight may take: 25 of 30 s, and what is left of less. */
const patienceOf = ({ SHUTDOWN_GRACE_MS: graceMs }: Running['config']): number =>
  Math.max(graceMs * 0.6, graceMs - CLOSING_MS)

/** How long the process may live on once everything in it is closed. */
const AFTERLIFE_MS = 1000

/** Everything is closed, or never will be after a failed start: what was forgotten must not keep the process. */
function exitSoon(log: Logger | undefined): void {
  const timer = setTimeout(() => {
    log?.warn(
      { left: process.getActiveResourcesInfo() },
      'everything is closed, and something keeps the process',
    )
    process.exit()
  }, AFTERLIFE_MS)
  timer.unref()
}

function productVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return manifest.version
}
