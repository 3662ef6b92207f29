import type { RequestListener } from 'node:http'
import type { Env } from '@platform/config'
import type { ServiceReport } from '@platform/contracts'
import { createApp, serviceListener } from '@platform/http'
import { cachedFor, runChecks } from '@platform/readiness'
import { FrontDoor } from './front-door.ts'
import { type Health, healthListener } from './health.ts'
import { runOnce, startJob } from './job.ts'
import { listenFailure } from './listen-failure.ts'
import { isAway, type Patience, patiently, StartInterrupted } from './patiently.ts'
import { pause } from './pause.ts'
import { CRASHED } from './process-signals.ts'
import type { Resources } from './resources.ts'
import { joinParts, type Part, type Service, type ServiceContext, type ServiceParts } from './service.ts'
import { exposeReadiness } from './service-metrics.ts'
import { startingListener } from './starting-listener.ts'
import type { Waiting } from './starting-report.ts'
import { subscribe } from './subscriptions.ts'

/** A service that listens. Disposing stops it in order: not ready, jobs, listener, subscriptions. */
export interface RunningService extends AsyncDisposable {
  name: Service['name']
  url: string
}

export interface StartOptions {
  /** How long the service answers on while it is not ready any more, so that load balancers notice. */
  drainDelayMs: number
  /** Aborts when the process is told to stop. */
  signal: AbortSignal
  /** How long stopping waits for requests in flight. Default 10,000. */
  patienceMs?: number
  /** Listens already, from `openDoor`. */
  door?: FrontDoor | undefined
}

const REQUIRED_JOB_PAUSE_MS = 500
const PATIENCE_MS = 10_000
/** How much longer than the delay a service answers requests that still come. */
const UNNOTICED_MAX_MS = 4000

/**
 * Lets a service that knows its address listen before it is built; undefined for one that does not. Rejects with
 * ListenFailure.
 */
export async function openDoor(
  service: Service,
  env: Env,
  context: ServiceContext,
  {
    patienceMs = PATIENCE_MS,
    waiting = { obstacle: undefined },
  }: { patienceMs?: number; waiting?: Waiting } = {},
): Promise<FrontDoor | undefined> {
  const address = service.address?.(env)
  return address && (await listen(service, address, env, context, { patienceMs, waiting }))
}

/**
 * Builds a service, subscribes it, lets it listen, gives required jobs their first run, and only then calls it ready.
 * What was opened is closed again when that fails. Rejects with StartInterrupted when the process is told to stop
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
  let door: FrontDoor | undefined
  try {
    door = options.door ?? (await openDoor(service, env, context, { patienceMs }))
    const patience = { log, signal, notices: resources.notices, waiting: door?.waiting }
    const built = await patiently(() => service.build(env, resources, context), patience)
    const parts: WholeParts = { ...built, ...joinParts(built) }
    stack.defer(parts.closing)
    for (const subscription of parts.subscriptions)
      stack.use(await patiently(() => subscribe(subscription, env, resources, log), patience))
    const health: Health = { ready: false, state: 'starting' }
    door ??= await listen(service, parts, env, context, { patienceMs, waiting: { obstacle: undefined } })
    stack.use(door)
    parts.attach(door.server)
    const report = reportOf(parts, context)
    door.handTo(listenerOf(service, parts, { health, report }, context), parts)
    stack.use(exposeReadiness(service.name, health, report))
    await runRequiredJobs(parts, patience)
    for (const job of parts.jobs) stack.use(startJob(job, log))
    stack.defer(drain(health, door, parts, options))
    health.ready = true
    await parts.started?.()
    return running(service, parts, door, log, stack)
  } catch (error) {
    await stack.disposeAsync()
    await door?.[Symbol.asyncDispose]()
    throw error
  }
}

/** The parts of a service with nothing left out. */
type WholeParts = ServiceParts & Required<Part>

function running(
  service: Service,
  parts: ServiceParts,
  door: FrontDoor,
  log: ServiceContext['log'],
  stack: AsyncDisposableStack,
) {
  log.info({ port: door.port, host: parts.host }, 'service is ready')
  return {
    name: service.name,
    url: `http://${urlHost(parts.host)}:${door.port}`,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const listen = (
  service: Service,
  address: { port: number; host: string },
  env: Env,
  context: ServiceContext,
  { patienceMs, waiting }: { patienceMs: number; waiting: Waiting },
): Promise<FrontDoor> => {
  const listener = startingListener(service.name, env, context, waiting)
  return FrontDoor.open(address, listener, { patienceMs, log: context.log, waiting }).catch(
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

async function runRequiredJobs(parts: WholeParts, { log, signal, notices }: Patience): Promise<void> {
  const told = (error: unknown) => isAway(error) && notices.tell(error)
  for (const job of parts.jobs.filter(({ requiredAtStart }) => requiredAtStart === true)) {
    while (!(await runOnce(job, log, signal, told))) {
      await pause(REQUIRED_JOB_PAUSE_MS, signal)
      if (signal.aborted) throw new StartInterrupted()
    }
  }
}

/** Load balancers get time to see that the service is leaving before it stops to listen. */
const drain =
  (health: Health, door: FrontDoor, { leaving }: WholeParts, { drainDelayMs, signal }: StartOptions) =>
  async (): Promise<void> => {
    health.ready = false
    health.state = 'draining'
    door.leave()
    leaving()
    // After a bug the process goes at once: what it would answer meanwhile comes from a state nobody knows.
    if (drainDelayMs === 0 || signal.reason === CRASHED) return
    await pause(drainDelayMs)
    await door.forsaken(Math.min(2 * drainDelayMs, UNNOTICED_MAX_MS))
  }

const urlHost = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
