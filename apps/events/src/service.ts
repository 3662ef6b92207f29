import { readConfig } from '@platform/config'
import { openIdempotency } from '@platform/idempotency'
import { openPermissions } from '@platform/permissions'
import { rateLimiter } from '@platform/rate-limits'
import { onOneInstance, type Service } from '@platform/service'
import { eventsChecks } from './checks.ts'
import { eventsEnv } from './config.ts'
import { appendToLog } from './event-log/append-to-log.ts'
import { emitEvents } from './event-log/emit-events.ts'
import { keepPartitions } from './event-log/keep-partitions.ts'
import { listEvents } from './event-log/list-events.ts'

/** Stores, searches and distributes events. */
export const events: Service = {
  name: 'events',
  address: (env) => readConfig(eventsEnv, env),
  async build(env, resources, { clock, log }) {
    const config = readConfig(eventsEnv, env)
    const database = await resources.database(config.databaseUrl)
    const broker = await resources.broker(config.brokerUrl, config.databaseUrl)
    const cache = await resources.cache(config.cacheUrl)
    const outbox = await resources.outbox(config.brokerUrl, config.databaseUrl, config.eventLimits)
    const search = await resources.search(config.searchUrl, config.databaseUrl)
    const permissions = await openPermissions({ database, clock })
    const idempotency = await openIdempotency({ database })

    const limits = rateLimiter({ cache, log, service: 'events', settings: config.rateLimits })

    return {
      port: config.port,
      host: config.host,
      internalApiKey: config.internalApiKey,
      readinessCacheTtlMs: config.readinessCacheTtlMs,
      routes: [emitEvents({ permissions, outbox }), listEvents({ permissions, search })],
      routeServices: { idempotency: idempotency.store, rateLimiter: limits },
      subscriptions: [onOneInstance('events', appendToLog({ search }))],
      jobs: [
        keepPartitions({ database, clock, outboxRetentionHours: config.outboxRetentionHours }),
        ...idempotency.jobs,
      ],
      checks: eventsChecks({ cache, broker, permissions: database, search, gatewayUrl: config.gatewayUrl }),
    }
  },
}
