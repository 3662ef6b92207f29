import { outboxMigrations } from '@platform/broker'
import { readConfig } from '@platform/config'
import { installationMigrations } from '@platform/database'
import { idempotencyMigrations, openIdempotency } from '@platform/idempotency'
import { type IdentityTuning, identityMigrations, openIdentity } from '@platform/identity'
import { joinParts, type Resources, type Service } from '@platform/service'
import { apiGatewayEnv, environment, type GatewayConfig, requireEnvironment } from './config.ts'
import { openDescription } from './description/description.ts'
import { openEdge } from './edge.ts'
import { Opened } from './opened.ts'
import { refuse as refuseWith } from './pipeline.ts'
import { openReadiness } from './readiness/readiness.ts'
import { openVersions } from './versions/versions.ts'
import { getStatus } from './welcome/get-status.ts'
import { showMissing } from './welcome/missing-page.ts'

/** The only public door: authentication, sessions, routing. */
export const apiGatewayWith = (tuning: IdentityTuning): Service => ({
  name: 'api-gateway',
  variables: environment,
  migrations: [installationMigrations, outboxMigrations, idempotencyMigrations, ...identityMigrations],
  address(env) {
    requireEnvironment(env)
    return readConfig(apiGatewayEnv, env).listen
  },
  async build(env, resources, context) {
    const { clock, log, version, schemaChecks = [] } = context
    const config = readConfig(apiGatewayEnv, env)
    const stores = await openStores(config, resources)
    const { database, cache, broker } = stores
    const idempotency = await openIdempotency({ ...stores, pepper: config.internalApiKey })
    // A start that fails is tried again: nothing of it may stay behind.
    await using opened = new Opened(log)
    const workspacesUrl = config.upstreams.workspaces[0] ?? ''
    const identity = await openIdentity(env, { ...stores, opened, workspacesUrl, tuning }, context)
    const { identify, refuseForgedRequest, files } = identity
    const { apiUrl } = config
    const readiness = openReadiness({ database, cache, broker, files, config, clock, schemaChecks })
    const refuse = refuseWith(identity)
    const versions = openVersions({ database, versions: config.apiVersions, clock, refuse })
    const edge = await openEdge({
      env,
      config,
      log,
      identify,
      refuseForgedRequest,
      chooseVersion: versions.choose,
      refuse,
    })
    return {
      ...config.listen,
      ...joinParts(
        { routes: [getStatus({ version, apiUrl })] },
        openDescription({ apiUrl }),
        readiness.part,
        { ...identity.part, closing: opened.handOver() },
        { jobs: idempotency.jobs },
        versions.part,
        edge.part,
      ),
      internalApiKey: config.internalApiKey,
      keepAliveTimeoutMs: 75_000,
      ...edge.connections,
      readinessCacheTtlMs: config.readinessCacheTtlMs,
      routeServices: { idempotency: idempotency.store, rateLimiter: identity.rateLimiter, showMissing },
      front: edge.front,
      report: readiness.report,
      started: () => printFirstSignIn(identity),
    }
  },
})

/** As it runs everywhere. */
export const apiGateway = apiGatewayWith({})

async function openStores({ stores }: GatewayConfig, resources: Resources) {
  return {
    database: await resources.database(stores.database),
    cache: await resources.cache(stores.cache),
    broker: await resources.broker(stores.broker, stores.database),
    outbox: await resources.outbox(stores.broker, stores.database),
  }
}

/** Printed and not logged: a generated password is shown once, to the operator who started the platform. */
async function printFirstSignIn(accounts: {
  ensureAdministrator(): Promise<{ lines: string[] } | undefined>
}): Promise<void> {
  const first = await accounts.ensureAdministrator()
  for (const line of first?.lines ?? []) process.stdout.write(`${line}\n`)
}
