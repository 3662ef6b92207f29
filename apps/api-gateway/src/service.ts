import { readConfig } from '@platform/config'
import { migrate } from '@platform/database'
import type { Resources, Service } from '@platform/service'
import { versionCheck } from './api-versions/choose-version.ts'
import { refuseForgedRequest } from './callers/refuse-forged-request.ts'
import { closeWithServer } from './close-with-server.ts'
import { apiGatewayEnv, type GatewayConfig, requireEnvironment } from './config.ts'
import { forward } from './forwarding/forward.ts'
import { openInstances } from './forwarding/instances.ts'
import { compileRoutes, routeTable } from './forwarding/route-table.ts'
import type { Stores } from './identity-base.ts'
import { pipeline } from './pipeline.ts'
import { wireReadiness } from './readiness/wire-readiness.ts'
import { refuse as refuseWith } from './refuse.ts'
import { getStatus } from './status/get-status.ts'
import { wireIdentity } from './wire-identity.ts'

/** The only public door: authentication, sessions, routing. */
export const apiGateway: Service = {
  name: 'api-gateway',
  address(env) {
    requireEnvironment(env)
    return readConfig(apiGatewayEnv, env).listen
  },
  async build(env, resources, context) {
    const { clock, log, version } = context
    const config = readConfig(apiGatewayEnv, env)
    if (config.rateLimits.disabled)
      log.warn('RATE_LIMIT_DISABLED is set: nothing limits how often callers may ask')
    const stores = await openStores(config, resources)
    const identity = await wireIdentity(env, config, stores, context)
    const readiness = wireReadiness({ ...stores, config, clock })

    const instances = openInstances(config.upstreams, config.gatewayTimeoutMs)
    const refuse = refuseWith(identity.cookies)
    const { trustedProxyHops, gatewayTimeoutMs, internalApiKey, readinessCacheTtlMs } = config
    const front = {
      log,
      trustedProxyHops,
      gatewayTimeoutMs,
      routes: compileRoutes(routeTable),
      checkVersion: versionCheck({ versions: config.apiVersions, clock }),
      identify: identity.identify,
      refuseForgedRequest: refuseForgedRequest({
        csrf: identity.csrf,
        allowedOrigins: config.allowedOrigins,
      }),
      forward: forward({ instances, internalKey: internalApiKey, refuse }),
      refuse,
    }
    return {
      ...config.listen,
      internalApiKey,
      keepAliveTimeoutMs: 75_000,
      readinessCacheTtlMs,
      routes: [getStatus({ version }), ...readiness.routes, ...identity.routes],
      mounts: identity.mounts,
      front: (app) => pipeline(front, app),
      attach: closeWithServer([instances, ...identity.closing], log),
      subscriptions: identity.subscriptions,
      jobs: identity.jobs,
      checks: readiness.checks,
      started: () => tellFirstSignIn(identity),
    }
  },
}

async function openStores({ stores }: GatewayConfig, resources: Resources): Promise<Stores> {
  const database = await resources.database(stores.database)
  await migrate(database, 'gateway', new URL('../migrations/', import.meta.url))
  return {
    database,
    cache: await resources.cache(stores.cache),
    broker: await resources.broker(stores.broker, stores.database),
    outbox: await resources.outbox(stores.broker, stores.database),
  }
}

/** Printed and not logged: a generated password is shown once, to whoever started the platform. */
async function tellFirstSignIn(accounts: {
  ensureAdministrator(): Promise<{ lines: string[] } | undefined>
}): Promise<void> {
  const first = await accounts.ensureAdministrator()
  for (const line of first?.lines ?? []) process.stdout.write(`${line}\n`)
}
