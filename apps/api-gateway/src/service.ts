import { readConfig } from '@platform/config'
import { migrate } from '@platform/database'
import { openIdempotency } from '@platform/idempotency'
import type { Resources, Service } from '@platform/service'
import { wireApiDescription } from './api-description/wire-api-description.ts'
import { wireApiVersions } from './api-versions/wire-api-versions.ts'
import { apiGatewayEnv, type GatewayConfig, gatewayEnvs, requireEnvironment } from './config.ts'
import type { Stores } from './identity-base.ts'
import { Opened } from './opened.ts'
import { pipeline } from './pipeline.ts'
import { wireReadiness } from './readiness/wire-readiness.ts'
import { refuse as refuseWith } from './refuse.ts'
import { getStatus } from './status/get-status.ts'
import { showMissing } from './welcome/missing-page.ts'
import { wireEdge } from './wire-edge.ts'
import { wireForwarding } from './wire-forwarding.ts'
import { wireIdentity } from './wire-identity.ts'

/** The only public door: authentication, sessions, routing. */
export const apiGateway: Service = {
  name: 'api-gateway',
  variables: gatewayEnvs,
  address(env) {
    requireEnvironment(env)
    return readConfig(apiGatewayEnv, env).listen
  },
  async build(env, resources, context) {
    const { clock, log, version } = context
    const config = readConfig(apiGatewayEnv, env)
    const stores = await openStores(config, resources)
    const idempotency = await openIdempotency({ ...stores, pepper: config.internalApiKey })
    // A start that fails is tried again: nothing of it may stay behind.
    await using opened = new Opened(log)
    const identity = await wireIdentity(env, config, { ...stores, opened }, context)
    const readiness = wireReadiness({ ...stores, files: identity.files, config, clock })

    const edge = wireEdge(env, config, identity)
    const refuse = refuseWith(identity.cookies)
    const forwarding = await wireForwarding({ env, config, opened, identify: identity.identify, refuse })
    const versions = wireApiVersions({ ...stores, config, opened, clock, refuse })
    const { trustedProxyHops, gatewayTimeoutMs, internalApiKey, readinessCacheTtlMs } = config
    const front = {
      log,
      trustedProxyHops,
      gatewayTimeoutMs,
      ...edge.steps,
      ...forwarding.steps,
      chooseVersion: versions.choose,
      identify: identity.identify,
      refuse,
    }
    return {
      ...config.listen,
      internalApiKey,
      keepAliveTimeoutMs: 75_000,
      ...edge.connections,
      readinessCacheTtlMs,
      routes: [...ownRoutes(config, version), ...readiness.routes, ...identity.routes, ...versions.routes],
      routeServices: { idempotency: idempotency.store, rateLimiter: identity.rateLimiter, showMissing },
      mounts: identity.mounts,
      front: (app) => forwarding.inFrontOf(pipeline(front, app)),
      attach: forwarding.attach,
      leaving: forwarding.leaving,
      closing: opened.handOver(),
      subscriptions: identity.subscriptions,
      jobs: [...identity.jobs, ...idempotency.jobs, ...versions.jobs, ...forwarding.jobs],
      checks: readiness.checks,
      report: readiness.report,
      started: () => tellFirstSignIn(identity),
    }
  },
}

/** What touches no store. */
const ownRoutes = (config: GatewayConfig, version: string) => [
  getStatus({ version, apiUrl: config.apiUrl }),
  ...wireApiDescription(config),
]

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
