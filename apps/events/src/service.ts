import { auditMigrations, openAudit } from '@platform/audit'
import { outboxMigrations } from '@platform/broker'
import { readConfig } from '@platform/config'
import { installationMigrations, type Migrations } from '@platform/database'
import { idempotencyMigrations, openIdempotency } from '@platform/idempotency'
import { openPermissions, permissionsMigrations, userTopicStore } from '@platform/permissions'
import { rateLimiter } from '@platform/rate-limits'
import { searchMigrations } from '@platform/search'
import { joinParts, type Resources, type Service } from '@platform/service'
import { eventsChecks } from './checks.ts'
import { cleanupPart } from './cleanup/cleanup-part.ts'
import { type EventsConfig, eventsEnv } from './config.ts'
import { listDeadLetters, replayDeadLetters } from './dead-letters/dead-letters.ts'
import { eventLogPart } from './event-log/event-log-part.ts'
import { logBackpressure } from './event-log/log-backpressure.ts'
import { openIndexing } from './indexing/indexing-part.ts'
import { openLivePart } from './live/live-part.ts'
import { searchAllEvents, searchEvents } from './searches/search-events.ts'
import { subscriptionsPart } from './subscriptions/subscriptions-part.ts'

const eventsMigrations: Migrations = {
  schema: 'events',
  directory: new URL('../migrations/', import.meta.url),
}

/** Stores, searches and distributes events. */
export const events: Service = {
  name: 'events',
  variables: [eventsEnv],
  migrations: [
    installationMigrations,
    outboxMigrations,
    searchMigrations,
    eventsMigrations,
    permissionsMigrations,
    idempotencyMigrations,
    auditMigrations,
  ],
  address: (env) => readConfig(eventsEnv, env),
  async build(env, resources, { clock, log }) {
    const config = readConfig(eventsEnv, env)
    const { internalApiKey, gatewayUrl, outboxRetentionHours, retention } = config
    const { database, broker, cache, outbox, eventLog, index } = await openStores(config, resources)
    const permissions = await openPermissions({ database, clock })
    const idempotency = await openIdempotency({ database, pepper: internalApiKey })
    const audit = await openAudit({ database, clock })
    const limits = rateLimiter({ cache, log, service: 'events', settings: config.rateLimits })
    const backpressure = logBackpressure({ database, maxLagMs: config.maxLogLagMs })
    const indexing = openIndexing({ database, eventLog, index, clock, log })
    const { search, rebuildStream } = indexing
    return {
      port: config.port,
      host: config.host,
      internalApiKey,
      readinessCacheTtlMs: config.readinessCacheTtlMs,
      routeServices: { idempotency: idempotency.store, rateLimiter: limits, permissions },
      ...joinParts(
        { jobs: idempotency.jobs },
        {
          checks: eventsChecks({ cache, broker, permissions: database, search: indexing.check, gatewayUrl }),
        },
        // Accepts events, appends them to the log, and answers the feed, usage and searches from it.
        eventLogPart({ database, outbox, eventLog, search, backpressure, outboxRetentionHours, clock }),
        {
          routes: [
            searchEvents({ permissions, search, topics: userTopicStore(database), clock }),
            searchAllEvents({ search, clock }),
          ],
        },
        // Keeps the index beside the log, where one is configured.
        indexing.part,
        // Deletes what is past its retention.
        cleanupPart({
          database,
          outbox,
          audit,
          eventLog,
          index,
          rebuildStream,
          retention,
          schedules: config.schedules,
          clock,
        }),
        // Shows what groups of this broker gave up, and gives it to them again.
        { routes: [listDeadLetters({ database }), replayDeadLetters({ database })] },
        // Hands events to streams and sockets as they happen.
        await openLivePart({
          database,
          broker,
          eventLog,
          permissions,
          outbox,
          backpressure,
          limits,
          internalApiKey,
          gatewayUrl,
          outboxRetentionHours,
          clock,
          log,
        }),
        // Sends events to webhooks.
        subscriptionsPart({
          database,
          outbox,
          permissions,
          audit,
          eventLog,
          masterKeys: config.masterKeys,
          settings: config.webhooks,
          scheduledDeletionDays: retention.scheduledDeletionDays,
          clock,
          log,
        }),
      ),
    }
  },
}

async function openStores(config: EventsConfig, resources: Resources) {
  const { databaseUrl, brokerUrl } = config
  const database = await resources.database(databaseUrl)
  const broker = await resources.broker(brokerUrl, databaseUrl)
  const cache = await resources.cache(config.cacheUrl)
  const outbox = await resources.outbox(brokerUrl, databaseUrl, config.eventLimits)
  const eventLog = await resources.log(databaseUrl)
  const index = await resources.searchIndex(config.searchUrl, config.indexOptions)
  return { database, broker, cache, outbox, eventLog, index }
}
