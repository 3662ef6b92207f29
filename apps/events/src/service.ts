import { readConfig } from '@platform/config'
import { openPermissions } from '@platform/permissions'
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
  async build(env, resources, { clock }) {
    const config = readConfig(eventsEnv, env)
    const database = await resources.database(config.databaseUrl)
    const broker = await resources.broker(config.brokerUrl, config.databaseUrl)
    const cache = await resources.cache(config.cacheUrl)
    const outbox = await resources.outbox(config.brokerUrl, config.databaseUrl, config.eventLimits)
    const search = await resources.search(config.searchUrl, config.databaseUrl)
    const permissions = await openPermissions({ database, clock })

    return {
      port: config.port,
      host: config.host,
      internalApiKey: config.internalApiKey,
      readinessCacheTtlMs: config.readinessCacheTtlMs,
      routes: [emitEvents({ permissions, outbox }), listEvents({ permissions, search })],
      subscriptions: [onOneInstance('events', appendToLog({ search }))],
      jobs: [keepPartitions({ database, clock, outboxRetentionHours: config.outboxRetentionHours })],
      checks: eventsChecks({ cache, broker, permissions: database, search, gatewayUrl: config.gatewayUrl }),
    }
  },
}
