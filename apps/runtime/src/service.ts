import { readConfig } from '@platform/config'
import { migrate } from '@platform/database'
import { openIdempotency } from '@platform/idempotency'
import { openPermissions } from '@platform/permissions'
import { rateLimiter } from '@platform/rate-limits'
import type { Service } from '@platform/service'
import { testAutomation } from './automations/test-automation.ts'
import { wireEngine } from './automations/wire-engine.ts'
import { runtimeChecks } from './checks.ts'
import { environment, runtimeEnv } from './config.ts'
import { stepCompiler } from './definitions/compile-steps.ts'
import { definitionStore } from './definitions/definition-store.ts'
import { Definitions } from './definitions/definitions.ts'
import { KeySet } from './jwks/key-set.ts'
import { wireRuns } from './runs/wire-runs.ts'
import { callWebhook } from './webhooks/call-webhook.ts'

/** Executes automations: URL triggers, test runs and the runs that events trigger. */
export const runtime: Service = {
  name: 'runtime',
  variables: environment,
  address: (env) => readConfig(runtimeEnv, env),
  async build(env, resources, { log, clock }) {
    const config = readConfig(runtimeEnv, env)
    const { events, issuer } = config
    const database = await resources.database(config.databaseUrl)
    const cache = await resources.cache(config.cacheUrl)
    const broker = await resources.broker(config.brokerUrl, config.databaseUrl)
    // Opened so that what is committed here is relayed, where the broker is another system.
    await resources.outbox(config.brokerUrl, config.databaseUrl, events)
    const permissions = await openPermissions({ database, clock })
    await migrate(database, 'runtime', new URL('../migrations/', import.meta.url))

    const idempotency = await openIdempotency({ database, pepper: config.internalApiKey })

    const store = definitionStore(database)
    const definitions = new Definitions(store, stepCompiler(events), config.definitions)
    const { engine, jobs } = wireEngine({ database, clock, permissions, log, config })
    const { runNow, ...queued } = wireRuns({ database, engine, definitions, clock, log, config })
    const limits = rateLimiter({ cache, log, service: 'runtime', settings: config.rateLimits })
    const keySet = new KeySet(config.gatewayUrl, log)

    return {
      port: config.port,
      host: config.host,
      internalApiKey: config.internalApiKey,
      readinessCacheTtlMs: config.readinessCacheTtlMs,
      routes: [
        callWebhook({ definitions, permissions, runNow, issuer }),
        testAutomation({ definitions, permissions, runNow }),
      ],
      routeServices: {
        idempotency: idempotency.store,
        rateLimiter: limits,
        workspaceIdOf: (address) => definitions.idOf(address),
      },
      subscriptions: [keySet.subscription, ...queued.subscriptions],
      jobs: [...jobs, ...queued.jobs, keySet.job, ...idempotency.jobs],
      checks: runtimeChecks({ ...config, cache, broker, database, definitions: store }),
    }
  },
}
