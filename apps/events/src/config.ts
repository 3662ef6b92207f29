import { count, httpUrl, milliseconds, optionalPort, port, secret, storeVariables } from '@platform/config'
import { services } from '@platform/contracts'
import { SECOND_MS } from '@platform/kernel'
import { limitSettings, limitVariables } from '@platform/rate-limits'
import { z } from 'zod'
import { retentionSettings, retentionVariables } from './cleanup/retention-settings.ts'
import { scheduleSettings, scheduleVariables } from './cleanup/schedule.ts'
import { indexSettings, indexVariables } from './indexing/index-env.ts'
import { webhookSettings, webhookVariables } from './subscriptions/webhooks-env.ts'

/** The environment of the events service. */
export const eventsEnv = z
  .object({
    PORT: port(services.events.port).describe('Port of the service when it runs alone.'),
    EVENTS_PORT: optionalPort().describe('Port of the events service beside the others in one process.'),
    HOST: z.string().default('0.0.0.0').describe('Address the service listens on.'),
    ...storeVariables,
    ...indexVariables,
    INTERNAL_API_KEY: secret.describe('Key the services of the platform show each other.'),
    INTERNAL_API_URL: httpUrl('http://127.0.0.1:3001/v2').describe(
      'Internal address of the gateway’s v2 path.',
    ),
    READINESS_CACHE_TTL_MS: milliseconds(30_000).describe('How long a readiness report is kept.'),
    OUTBOX_RETENTION_HOURS: count(72).describe(
      'Hours committed events stay in the outbox, to be delivered again after a broker loss, and to be found by a ' +
        '`wait` that begins after they came.',
    ),
    EVENTS_MAX_LAG_SECONDS: count(600).describe(
      'Seconds the event log may be behind what was accepted before no more events are accepted (503 ' +
        'with Retry-After).',
    ),
    ...retentionVariables,
    ...scheduleVariables,
    ...webhookVariables,
    ...limitVariables(['emit', 'emitByCaller', 'eventSearch', 'webhookTest']),
    BROKER_EMIT_MAXLEN: count(100_000).describe('Characters an event may have.'),
    BROKER_EMIT_EXECUTED_AUTOMATION_MAXLEN: count(10_000).describe(
      'Characters runtime.automations.executed may have.',
    ),
  })
  .transform((env) => ({
    port: env.EVENTS_PORT ?? env.PORT,
    host: env.HOST,
    databaseUrl: env.DATABASE_URL,
    cacheUrl: env.CACHE_URL,
    brokerUrl: env.BROKER_URL,
    ...indexSettings(env),
    internalApiKey: env.INTERNAL_API_KEY,
    gatewayUrl: new URL(env.INTERNAL_API_URL).origin,
    readinessCacheTtlMs: env.READINESS_CACHE_TTL_MS,
    outboxRetentionHours: env.OUTBOX_RETENTION_HOURS,
    maxLogLagMs: env.EVENTS_MAX_LAG_SECONDS * SECOND_MS,
    retention: retentionSettings(env),
    schedules: scheduleSettings(env),
    masterKeys: env.SECRETS_MASTER_KEYS,
    webhooks: webhookSettings(env),
    rateLimits: limitSettings(env),
    eventLimits: {
      maxLength: env.BROKER_EMIT_MAXLEN,
      executedMaxLength: env.BROKER_EMIT_EXECUTED_AUTOMATION_MAXLEN,
    },
  }))

/** Everything the service reads, for the documents and the operators’ tool. */
export const environment: readonly z.ZodType[] = [eventsEnv]

export type EventsConfig = z.output<typeof eventsEnv>
