import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Env } from '@platform/config'
import { createApp, createHardenedServer, serviceListener } from '@platform/http'
import { StoreError } from '@platform/kernel'
import { cachedFor, runChecks } from '@platform/readiness'
import { type Health, healthListener } from './health.ts'
import { runOnce, startJob } from './job.ts'
import type { Resources } from './resources.ts'
import type { Parts, Service, ServiceContext } from './service.ts'
import { subscribe } from './subscriptions.ts'

/** A service that listens. Disposing stops it in order: not ready, jobs, listener, subscriptions. */
export interface RunningService extends AsyncDisposable {
  name: Service['name']
  url: string
}

const REQUIRED_JOB_PAUSE_MS = 500
const BUILD_PAUSE_MS = 1000

/** Builds a service, subscribes it, lets it listen, gives required jobs their first run, and only then calls it ready. */
export async function startService(
  service: Service,
  env: Env,
  resources: Resources,
  context: ServiceContext,
  options: { drainDelayMs: number; signal: AbortSignal },
): Promise<RunningService> {
  const log = context.log.child({ service: service.name })
  const parts = await buildPatiently(service, env, resources, { ...context, log }, options.signal)
  const stack = new AsyncDisposableStack()
  try {
    for (const subscription of parts.subscriptions)
      stack.use(await subscribe(subscription, env, resources, log))
    const health: Health = { ready: false }
    const server = await listen(service, parts, health, { ...context, log })
    stack.defer(() => closeServer(server))
    await runRequiredJobs(parts, log, options.signal)
    for (const job of parts.jobs) stack.use(startJob(job, log))
    health.ready = true
    stack.defer(() => drain(health, options.drainDelayMs))
    await parts.started?.()
    const { port } = server.address() as AddressInfo
    log.info({ port, host: parts.host }, 'service is ready')
    return {
      name: service.name,
      url: `http://${urlHost(parts.host)}:${port}`,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

/** A store that is down when the service starts is waited for: the process stays and starts to work when it comes. */
async function buildPatiently(
  service: Service,
  env: Env,
  resources: Resources,
  context: ServiceContext,
  signal: AbortSignal,
): Promise<Parts> {
  for (;;) {
    try {
      return await service.build(env, resources, context)
    } catch (error) {
      if (!(error instanceof StoreError && error.unavailable) || signal.aborted) throw error
      context.log.warn({ err: error }, 'a store does not answer, the service waits for it')
      await new Promise((resolve) => setTimeout(resolve, BUILD_PAUSE_MS))
    }
  }
}

async function listen(
  service: Service,
  parts: Parts,
  health: Health,
  context: ServiceContext,
): Promise<Server> {
  const app = createApp(parts.routes, parts.mounts)
  const front =
    parts.front?.(app) ??
    serviceListener({ service: service.name, internalApiKey: parts.internalApiKey, log: context.log }, app)
  const report = cachedFor(parts.readinessCacheTtlMs, context.clock, () => runChecks(parts.checks))
  const listener = healthListener({ health, internalApiKey: parts.internalApiKey, report }, front)
  const server = createHardenedServer(listener, {
    keepAliveTimeoutMs: parts.keepAliveTimeoutMs ?? 80_000,
    maxConnections: 10_000,
  })
  parts.attach?.(server)
  server.listen(parts.port, parts.host)
  await Promise.race([
    once(server, 'listening'),
    once(server, 'error').then(([error]) => Promise.reject(error)),
  ])
  return server
}

async function runRequiredJobs(parts: Parts, log: ServiceContext['log'], signal: AbortSignal): Promise<void> {
  for (const job of parts.jobs.filter(({ requiredAtStart }) => requiredAtStart === true)) {
    while (!signal.aborted && !(await runOnce(job, log, signal))) {
      await new Promise((resolve) => setTimeout(resolve, REQUIRED_JOB_PAUSE_MS))
    }
  }
}

/** Load balancers get time to see that the service is leaving before it stops to listen. */
async function drain(health: Health, delayMs: number): Promise<void> {
  health.ready = false
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
}

/** Finishes requests in flight; idle keep-alive sockets are closed at once. */
async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const sweep = setInterval(() => server.closeIdleConnections(), 100)
  await closed
  clearInterval(sweep)
}

const urlHost = (host: string): string => (host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host)
