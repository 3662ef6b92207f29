import type { RequestListener, Server } from 'node:http'
import { type Env, readConfig } from '@platform/config'
import type { GatewayConfig } from './config.ts'
import { exposeForwarding } from './forwarding/expose-forwarding.ts'
import { forward } from './forwarding/forward.ts'
import type { ForwardDeps } from './forwarding/forward-deps.ts'
import { forwardingEnv } from './forwarding/forwarding-env.ts'
import { openInstances } from './forwarding/instances.ts'
import { compileRoutes } from './forwarding/match-route.ts'
import { OpenStreams } from './forwarding/open-streams.ts'
import { routeTable } from './forwarding/route-table.ts'
import type { Opened } from './opened.ts'
import type { Step } from './pipeline.ts'
import { Load } from './shedding/load.ts'
import { shedLoad } from './shedding/shed-load.ts'
import { checkStreams } from './websockets/check-streams.ts'
import { WebSockets } from './websockets/web-sockets.ts'

interface Needs {
  env: Env
  config: GatewayConfig
  opened: Opened
  identify: Step
  refuse: ForwardDeps['refuse']
}

/** What goes on to the services: requests, WebSockets, and nothing while there is too much to do. */
export async function wireForwarding({ env, config, opened, identify, refuse }: Needs) {
  const settings = readConfig(forwardingEnv, env)
  const instances = opened.use(await openInstances(config.upstreams))
  const streams = new OpenStreams(settings.streams)
  const deps = { instances, internalKey: config.internalApiKey, streams, refuse }
  const { allowedOrigins } = config
  const limits = settings.webSockets
  const webSockets = new WebSockets({ forward: deps, identify, allowedOrigins, limits })
  const load = opened.use(new Load(settings.load))
  const shed = { eventLoop: 0, inFlight: 0 }
  const metrics = exposeForwarding({
    instances,
    shed,
    openSockets: () => webSockets.open.count,
    openStreams: () => streams.count,
  })
  opened.use(metrics)
  return {
    /** What the pipeline needs of it. */
    steps: {
      matchRoute: compileRoutes(routeTable, config.gatewayTimeoutMs),
      forward: forward(deps),
      inFlight: load.inFlight,
      takeUpgrade: (exchange: Parameters<Step>[0]) => webSockets.take(exchange),
    },
    /** Everything that comes goes through here first. */
    inFrontOf: (listener: RequestListener) => webSockets.through(shedLoad(load, shed, listener)),
    attach: (server: Server) => webSockets.attach(server),
    leaving: () => {
      webSockets.leave()
      streams.leave()
    },
    jobs: [webSockets.job(), checkStreams(streams, identify)],
  }
}
