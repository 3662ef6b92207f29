import { auditMigrations, openAudit } from '@platform/audit'
import { outboxMigrations } from '@platform/broker'
import { readConfig } from '@platform/config'
import { installationMigrations, type Migrations } from '@platform/database'
import { idempotencyMigrations, openIdempotency } from '@platform/idempotency'
import { insertEvents } from '@platform/outbox'
import { openPermissions, permissionsMigrations } from '@platform/permissions'
import { rateLimiter } from '@platform/rate-limits'
import { searchMigrations } from '@platform/search'
import { joinParts, type Resources, type Service } from '@platform/service'
import { contained } from '@platform/service/processes'
import { runTests } from './automation-tests/run-tests.ts'
import { automationsPart } from './automations/automations-part.ts'
import { TimeSlices } from './automations/time-slices.ts'
import { runtimeChecks } from './checks.ts'
import { environment, type RuntimeConfig, runtimeEnv } from './config.ts'
import { automationCompiler } from './definitions/compile-automation.ts'
import { definitionStore } from './definitions/definition-store.ts'
import { Definitions } from './definitions/definitions.ts'
import { runFunction } from './functions/run-function.ts'
import { KeySet } from './jwks/key-set.ts'
import { openModules } from './modules/module-stores.ts'
import { workspaceSecretsPart } from './modules/secrets/workspace-secrets-part.ts'
import { openOwnApi } from './run-tokens/run-tokens-part.ts'
import { lateElsewhere } from './runs/elsewhere.ts'
import { openContainment } from './runs/quarantine.ts'
import { runsPart } from './runs/runs-part.ts'
import { testAutomation } from './runs/test-automation.ts'
import { wordedEvents } from './runs/worded-events.ts'
import { schedulesPart } from './schedules/schedules-part.ts'
import { waitsPart } from './waits/waits-part.ts'
import { callWebhook } from './webhooks/call-webhook.ts'
import { unheardAnswer } from './webhooks/shaped-answer.ts'

const runtimeMigrations: Migrations = {
  schema: 'runtime',
  directory: new URL('../migrations/', import.meta.url),
}

const openStores = async (
  resources: Resources,
  { databaseUrl, cacheUrl, brokerUrl, events }: RuntimeConfig,
) => ({
  database: await resources.database(databaseUrl),
  cache: await resources.cache(cacheUrl),
  broker: await resources.broker(brokerUrl, databaseUrl),
  outbox: await resources.outbox(brokerUrl, databaseUrl, events),
})

/** Executes automations: URL triggers, test runs and the runs that events and schedules trigger. */
export const runtime: Service = {
  name: 'runtime',
  variables: environment,
  migrations: [
    installationMigrations,
    outboxMigrations,
    searchMigrations,
    permissionsMigrations,
    auditMigrations,
    runtimeMigrations,
    idempotencyMigrations,
  ],
  address: (env) => readConfig(runtimeEnv, env),
  async build(env, resources, { log, clock }) {
    const config = readConfig(runtimeEnv, env)
    const { database, cache, broker, outbox } = await openStores(resources, config)
    const audit = await openAudit({ database, clock })
    const permissions = await openPermissions({ database, clock })
    const { own, part: runTokens } = await openOwnApi({ database, outbox, audit, config, clock, log })
    const idempotency = await openIdempotency({ database, pepper: config.internalApiKey })
    const slices = new TimeSlices()
    const store = definitionStore(database)
    const modules = openModules({ database, clock, log, settings: config.modules })
    const compile = automationCompiler(config.events, slices, modules.stores)
    const definitions = new Definitions(store, compile, config.definitions, config.modules.overrides)
    const waits = waitsPart({ database, log })
    const secrets = workspaceSecretsPart({ ...modules.stores.secrets, outbox, audit, config, log })
    const { refused, containment, marker } = openContainment(contained())
    const common = { database, permissions, refused, definitions, clock, log, config }
    const automations = automationsPart({
      ...common,
      cache,
      slices,
      unheardAnswer,
      waits: waits.inbox,
      listSecrets: modules.listSecrets,
      limits: secrets.limits,
      own,
      elsewhere: lateElsewhere(() => runs.elsewhere),
      marker,
      marksPlaces: containment?.isApart,
    })
    const schedules = schedulesPart({ database, clock, workers: () => runs.workers })
    const runs = runsPart({
      ...common,
      audit,
      engine: automations.engine,
      reading: { slices, readingEngine: automations.readingEngine },
      syncSchedules: schedules.sync,
      waits,
      writeEvents: broker.readsOutbox ? wordedEvents(database) : insertEvents,
      containment,
    })
    const working = [schedules.part, waits.part, runs.part]
    const keySet = new KeySet(config.gatewayUrl, log)
    // Routes are looked through in their order: what is called most comes first.
    const routes = [
      callWebhook({ ...config, ...runs, definitions, permissions, refused }),
      testAutomation({ ...runs, definitions, refused }),
      runTests({ definitions, refused, compile, settings: automations.testSettings }),
      runFunction({ ...automations.outside, definitions, maxBytes: config.maxFunctionRequestBytes }),
    ]

    const checks = runtimeChecks({ ...config, cache, broker, database, definitions: store })
    const ofAll = { routes, checks, jobs: [...idempotency.jobs, ...modules.jobs] }

    return {
      port: config.port,
      host: config.host,
      internalApiKey: config.internalApiKey,
      readinessCacheTtlMs: config.readinessCacheTtlMs,
      routeServices: {
        idempotency: idempotency.store,
        rateLimiter: rateLimiter({ cache, log, service: 'runtime', settings: config.rateLimits }),
        permissions,
        workspaceIdOf: (address) => definitions.idOf(address),
      },
      // What was set aside is done where nothing else is.
      ...(containment?.isApart === true
        ? joinParts(keySet.part, runTokens, { ...automations.part, jobs: runs.aside })
        : joinParts(ofAll, keySet.part, runTokens, automations.part, secrets.part, ...working)),
    }
  },
}
