import { openAudit } from '@platform/audit'
import { readConfig } from '@platform/config'
import { migrate } from '@platform/database'
import { openIdempotency } from '@platform/idempotency'
import { openPermissions } from '@platform/permissions'
import { rateLimiter } from '@platform/rate-limits'
import type { Resources, Service, ServiceParts } from '@platform/service'
import { eventsChecks } from './checks.ts'
import { wireCleanup } from './cleanup/wire-cleanup.ts'
import { type EventsConfig, environment, eventsEnv } from './config.ts'
import { wireDeadLetters } from './dead-letters/wire-dead-letters.ts'
import { logPace } from './event-log/log-backpressure.ts'
import { wireEventLog } from './event-log/wire-event-log.ts'
import { wireIndexing } from './indexing/wire-indexing.ts'
import { wireLive } from './live/wire-live.ts'
import { wireSearches } from './searches/wire-searches.ts'
import { wireSubscriptions } from './subscriptions/wire-subscriptions.ts'
import { wireUsage } from './usage/wire-usage.ts'

/** Stores, searches and distributes events. */
export const events: Service = {
  name: 'events',
  variables: environment,
  address: (env) => readConfig(eventsEnv, env),
  async build(env, resources, { clock, log }) {
    const config = readConfig(eventsEnv, env)
    const stores = await openStores(config, resources)
    const { database, outbox, eventLog, index } = stores
    const permissions = await openPermissions({ database, clock })
    const idempotency = await openIdempotency({ database, pepper: config.internalApiKey })
    const audit = await openAudit({ database, clock })
    const limits = rateLimiter({ cache: stores.cache, log, service: 'events', settings: config.rateLimits })
    const pace = logPace({ database, maxLagMs: config.maxLogLagMs })
    const deps = { ...config, ...stores, permissions, pace, clock, log }
    const indexing = wireIndexing({ database, eventLog, index, clock, log })
    const { search } = indexing
    const live = await wireLive({ ...deps, documents: eventLog, limits, config })
    const webhooks = wireSubscriptions({ ...deps, audit, search: eventLog })
    const nouns: Noun[] = [
      wireEventLog({ ...deps, search }),
      wireSearches({ permissions, search, clock }),
      wireUsage({ database, outbox, eventLog, clock }),
      indexing,
      wireCleanup({ ...config, database, outbox, audit, eventLog, index, clock }),
      wireDeadLetters({ database }),
      live,
      webhooks,
      { jobs: idempotency.jobs },
    ]
    return {
      port: config.port,
      host: config.host,
      internalApiKey: config.internalApiKey,
      readinessCacheTtlMs: config.readinessCacheTtlMs,
      routes: nouns.flatMap(({ routes = [] }) => routes),
      routeServices: { idempotency: idempotency.store, rateLimiter: limits, permissions },
      subscriptions: nouns.flatMap(({ subscriptions = [] }) => subscriptions),
      jobs: nouns.flatMap(({ jobs = [] }) => jobs),
      mounts: live.mounts,
      attach: live.attach,
      leaving: () => {
        live.leaving()
        indexing.leaving()
      },
      closing: async () => void (await Promise.all([live.closing(), webhooks.closing()])),
      checks: eventsChecks({ ...deps, permissions: database, search: indexing.check }),
    }
  },
}

/** What a folder brings into the service. */
type Noun = Partial<Pick<ServiceParts, 'routes' | 'subscriptions' | 'jobs'>>

async function openStores(config: EventsConfig, resources: Resources) {
  const { databaseUrl, brokerUrl } = config
  const database = await resources.database(databaseUrl)
  const broker = await resources.broker(brokerUrl, databaseUrl)
  const cache = await resources.cache(config.cacheUrl)
  const outbox = await resources.outbox(brokerUrl, databaseUrl, config.eventLimits)
  const eventLog = await resources.log(databaseUrl)
  const index = await resources.searchIndex(config.searchUrl, config.indexOptions)
  await migrate(database, 'events', new URL('../migrations/', import.meta.url))
  return { database, broker, cache, outbox, eventLog, index }
}
