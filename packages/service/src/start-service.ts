import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type Env, flag, readConfig } from '@platform/config'
import type { ServiceReport } from '@platform/contracts'
import { createApp, serviceListener } from '@platform/http'
import { cachedFor, runChecks } from '@platform/readiness'
import { z } from 'zod'
import { exposeReadiness, type Health, healthListener } from './health.ts'
import { HttpServer } from './http-server.ts'
import { runOnce, startJob } from './job.ts'
import { pause } from './pause.ts'
import { CRASHED } from './process-signals.ts'
import type { Resources } from './resources.ts'
import {
  isUnavailable,
  type RetryOptions,
  retryUntilAvailable,
  StartInterrupted,
  type Waiting,
} from './retry-until-available.ts'
import { migrateService } from './run-migrations.ts'
import { joinParts, type Part, type Service, type ServiceContext, type ServiceParts } from './service.ts'
import { listenFailure } from './start-failure.ts'
import { startingListener } from './starting-listener.ts'
import { subscribe } from './subscriptions.ts'

/** A service that listens. Disposing stops it in order: not ready, jobs, listener, subscriptions. */
export interface RunningService extends AsyncDisposable {
  name: Service['name']
  url: string
}

export interface StartOptions {
  /** How long the service answers on while it is not ready any more, so that load balancers notice. */
  drainDelayMs: number
  /** Aborts when the process is asked to stop. */
  signal: AbortSignal
  /** How long stopping waits for requests in flight. Default 10,000. */
  patienceMs?: number
  /** Waits for what it is no use without: it calls itself ready after them. */
  others?: () => Promise<unknown>
  /** Listens already, from `listenEarly`. */
  server?: HttpServer | undefined
}

const REQUIRED_JOB_PAUSE_MS = 500
const PATIENCE_MS = 10_000
/** How much longer than the delay a service answers requests that still come. */
const LATE_REQUESTS_MAX_MS = 4000

/** Whether a process that starts answers already. */
export const listeningFields = {
  LISTEN_WHEN_READY: flag(false).describe(
    'Takes no connections before it is ready, for a load balancer that sends requests to whatever listens; else a ' +
      'process that starts answers them with 503.',
  ),
}

/**
 * Lets a service that knows its address listen before it is built; undefined for one that does not, or is to wait.
 * Rejects with ListenFailure.
 */
export async function listenEarly(
  service: Service,
  env: Env,
  context: ServiceContext,
  {
    patienceMs = PATIENCE_MS,
    waiting = { obstacle: undefined },
  }: { patienceMs?: number; waiting?: Waiting } = {},
): Promise<HttpServer | undefined> {
  if (readConfig(z.object(listeningFields), env).LISTEN_WHEN_READY) return undefined
  const address = service.address?.(env)
  return address && (await listen(service, address, env, context, { patienceMs, waiting }))
}

/**
 * Builds a service, subscribes it, lets it listen, gives required jobs their first run, and only then calls it ready.
 * What was opened is closed again when that fails. Rejects with StartInterrupted when the process is asked to stop
 * meanwhile.
 */
export async function startService(
  service: Service,
  env: Env,
  resources: Resources,
  given: ServiceContext,
  options: StartOptions,
): Promise<RunningService> {
  const { signal, patienceMs = PATIENCE_MS } = options
  const log = given.log.child({ service: service.name })
  const context = { ...given, log }
  const stack = new AsyncDisposableStack()
  let server: HttpServer | undefined
  try {
    server = options.server ?? (await listenEarly(service, env, context, { patienceMs }))
    const retry = { log, signal, notices: resources.notices, waiting: server?.waiting }
    const schemaChecks = await retryUntilAvailable(() => migrateService(service, env, resources, log), retry)
    const build = () => service.build(env, resources, { ...context, schemaChecks })
    const built = await retryUntilAvailable(build, retry)
    const parts: WholeParts = { ...built, ...joinParts(built, { checks: schemaChecks }) }
    stack.defer(parts.closing)
    for (const subscription of parts.subscriptions)
      stack.use(await retryUntilAvailable(() => subscribe(subscription, env, resources, log), retry))
    const health: Health = { ready: false, state: 'starting' }
    server ??= await listen(service, parts, env, context, { patienceMs, waiting: { obstacle: undefined } })
    stack.use(server)
    parts.attach(server.http)
    const report = reportOf(parts, context)
    server.handTo(listenerOf(service, parts, { health, report }, context), parts)
    // What is in front of services is for clients, which come by HTTP.
    if (parts.front === undefined) server.takeLinks(parts.internalApiKey)
    stack.use(exposeReadiness(service.name, health, report))
    await runRequiredJobs(parts, retry)
    for (const job of parts.jobs) stack.use(startJob(job, log))
    stack.defer(drain(health, server, parts, options))
    await waitForOthers(options)
    health.ready = true
    await parts.started?.()
    return running(service, parts, server, log, stack)
  } catch (error) {
    await stack.disposeAsync()
    await server?.[Symbol.asyncDispose]()
    throw error
  }
}

/** The parts of a service with nothing left out. */
type WholeParts = ServiceParts & Required<Part>

function running(
  service: Service,
  parts: ServiceParts,
  server: HttpServer,
  log: ServiceContext['log'],
  stack: AsyncDisposableStack,
) {
  log.info({ port: server.port, host: parts.host }, 'service is ready')
  return {
    name: service.name,
    url: `http://${urlHost(parts.host)}:${server.port}`,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const listen = (
  service: Service,
  address: { port: number; host: string },
  env: Env,
  context: ServiceContext,
  { patienceMs, waiting }: { patienceMs: number; waiting: Waiting },
): Promise<HttpServer> => {
  const listener = startingListener(service.name, env, context, waiting)
  return HttpServer.open(address, listener, { patienceMs, log: context.log, waiting }).catch(
    async (error: Error) => {
      throw await listenFailure(error, service.name, address, env)
    },
  )
}

const reportOf = (parts: WholeParts, { clock }: ServiceContext) =>
  parts.report ?? cachedFor(parts.readinessCacheTtlMs, clock, () => runChecks(parts.checks))

function listenerOf(
  service: Service,
  parts: WholeParts,
  { health, report }: { health: Health; report: () => Promise<ServiceReport> },
  { log, settings }: ServiceContext,
): RequestListener {
  const { internalApiKey } = parts
  const app = createApp(parts.routes, parts.mounts, parts.routeServices)
  const front = parts.front?.(app) ?? serviceListener({ service: service.name, internalApiKey, log }, app)
  return healthListener({ health, internalApiKey, report, settings, log }, front)
}

async function runRequiredJobs(parts: WholeParts, { log, signal, notices }: RetryOptions): Promise<void> {
  const isReported = (error: unknown) => isUnavailable(error) && notices.report(error)
  for (const job of parts.jobs.filter(({ requiredAtStart }) => requiredAtStart === true)) {
    while (!(await runOnce(job, log, signal, isReported))) {
      await pause(REQUIRED_JOB_PAUSE_MS, signal)
      if (signal.aborted) throw new StartInterrupted()
    }
  }
}

/** Resolves when the process is asked to stop. */
export const aborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort')
}

async function waitForOthers({ others, signal }: StartOptions): Promise<void> {
  if (others === undefined) return
  await Promise.race([others(), aborted(signal)])
  if (signal.aborted) throw new StartInterrupted()
}

/** Load balancers get time to see that the service is leaving before it stops to listen. */
const drain =
  (health: Health, server: HttpServer, { leaving }: WholeParts, { drainDelayMs, signal }: StartOptions) =>
  async (): Promise<void> => {
    health.ready = false
    health.state = 'draining'
    server.leave()
    leaving()
    // After a bug the process ends at once: its state is not known, so it must not answer from it any longer.
    if (drainDelayMs === 0 || signal.reason === CRASHED) return
    await pause(drainDelayMs)
    await server.untilAbandoned(Math.min(2 * drainDelayMs, LATE_REQUESTS_MAX_MS))
  }

const urlHost = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
