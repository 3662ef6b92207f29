import type { RequestListener } from 'node:http'
import { type Env, readConfig } from '@platform/config'
import type { Logger } from '@platform/logging'
import { joinParts, type Part } from '@platform/service'
import { accounting } from './accounting.ts'
import { admitPage, allowedOrigins } from './admission/cors.ts'
import { Load, shedLoad } from './admission/shed-load.ts'
import type { GatewayConfig } from './config.ts'
import { edgeEnv } from './edge-env.ts'
import type { Exchange, Step } from './exchange.ts'
import { forward } from './forwarding/forwarded.ts'
import { exposeForwarding } from './forwarding/forwarding-metrics.ts'
import { openInstances } from './forwarding/instances.ts'
import { OpenStreams } from './forwarding/open-streams.ts'
import { compileRoutes, routeTable } from './forwarding/route-table.ts'
import { type PipelineDeps, pipeline } from './pipeline.ts'
import { WebSockets } from './sockets/web-sockets.ts'

interface Needs {
  env: Env
  config: Pick<
    GatewayConfig,
    'apiUrl' | 'allowedOrigins' | 'upstreams' | 'internalApiKey' | 'gatewayTimeoutMs' | 'trustedProxyHops'
  >
  log: Logger
  identify: Step
  refuseForgedRequest: Step
  chooseVersion: PipelineDeps['chooseVersion']
  refuse: (exchange: Exchange, error: unknown) => void
}

/** What every request goes through, whether the gateway responds itself or a service behind it. */
export interface Edge {
  part: Part
  /** Takes every request; `app` has the gateway's own routes. */
  front(app: RequestListener): RequestListener
  connections: { maxConnections: number; maxConnectionsPerAddress: number }
}

export async function openEdge(needs: Needs): Promise<Edge> {
  const { env, config, log, identify, refuse } = needs
  const settings = readConfig(edgeEnv, env)
  const instances = await openInstances(config.upstreams, {
    linkKey: settings.hasLinks ? config.internalApiKey : undefined,
  })
  const streams = new OpenStreams(settings.streams)
  const forwarding = { instances, internalKey: config.internalApiKey, streams, refuse }
  const webSockets = new WebSockets({
    forward: forwarding,
    identify,
    allowedOrigins: config.allowedOrigins,
    limits: settings.webSockets,
  })
  const load = new Load(settings.load)
  const shed = { eventLoop: 0, inFlight: 0 }
  const metrics = exposeForwarding({
    instances,
    shed,
    openSockets: () => webSockets.count,
    openStreams: () => streams.count,
  })
  const steps: PipelineDeps = {
    log,
    settings: {
      trustedProxyHops: config.trustedProxyHops,
      gatewayTimeoutMs: config.gatewayTimeoutMs,
      strictTransport: strictTransportOf(config.apiUrl),
    },
    account: accounting(log, load.inFlight),
    admitPage: admitPage(allowedOrigins(settings.cors)),
    matchRoute: compileRoutes(routeTable, config.gatewayTimeoutMs),
    chooseVersion: needs.chooseVersion,
    identify,
    refuseForgedRequest: needs.refuseForgedRequest,
    forward: forward(forwarding),
    takeUpgrade: (exchange) => webSockets.take(exchange),
    refuse,
  }
  const part = joinParts(
    { closing: async () => instances[Symbol.asyncDispose]() },
    { jobs: [streams.job(identify)], leaving: () => streams.leave() },
    {
      jobs: [webSockets.job()],
      attach: (server) => webSockets.attach(server),
      leaving: () => webSockets.leave(),
    },
    { closing: async () => load[Symbol.dispose]() },
    { closing: async () => metrics[Symbol.asyncDispose]() },
  )
  return {
    part,
    front: (app) => webSockets.through(shedLoad(load, shed, pipeline(steps, app))),
    connections: settings.connections,
  }
}

const YEAR_SECONDS = 31_536_000

/** Tells browsers of an API that is https never to come without it. Undefined for http, where they ignore it. */
const strictTransportOf = (apiUrl: string): string | undefined =>
  apiUrl.startsWith('https:') ? `max-age=${YEAR_SECONDS}` : undefined
