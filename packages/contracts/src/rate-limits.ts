import { accountLimits } from './account-limits.ts'
import type { RateLimit } from './rate-limit.ts'

const minute = { seconds: 60 } as const

/** Every limit of the HTTP API with its default, named as contracts refer to it. */
export const rateLimits = {
  eventSearch: {
    ...minute,
    name: 'event-search',
    points: 40,
    per: 'caller',
    variable: 'RATE_LIMIT_EVENT_SEARCH',
    summary: 'Searches of events a minute by one caller.',
  },
  emit: {
    name: 'emit',
    points: 1000,
    seconds: 1,
    burst: 5000,
    per: 'handler',
    variable: 'RATE_LIMIT_HTTP_EMITS',
    summary: 'Events a second emitted over HTTP into one workspace; each event of a batch counts.',
  },
  emitByCaller: {
    name: 'emit-by-caller',
    points: 1000,
    seconds: 1,
    burst: 5000,
    per: 'handler',
    variable: 'RATE_LIMIT_HTTP_EMITS_BY_CALLER',
    summary:
      'Events a second emitted over HTTP by one caller, into all workspaces; each event of a batch counts.',
  },
  webhookTest: {
    ...minute,
    name: 'webhook-tests',
    points: 20,
    per: 'handler',
    variable: 'RATE_LIMIT_WEBHOOK_TESTS',
    summary: 'Test webhooks a minute sent by the subscriptions of one workspace.',
  },
  webhooks: {
    ...minute,
    name: 'webhooks',
    points: 6000,
    per: 'workspace',
    variable: 'RATE_LIMIT_WEBHOOKS',
    summary: 'Calls of URL triggers and test runs a minute in one workspace.',
  },
  tests: {
    ...minute,
    name: 'tests',
    points: 120,
    per: 'workspace',
    variable: 'RATE_LIMIT_TESTS',
    summary: 'Requests a minute that run tests of automations in one workspace.',
  },
  runActions: {
    ...minute,
    name: 'run-actions',
    points: 600,
    per: 'workspace',
    variable: 'RATE_LIMIT_RUN_ACTIONS',
    summary: 'Runs a minute that are cancelled or done again in one workspace.',
  },
  functionRuns: {
    ...minute,
    name: 'function-runs',
    points: 600,
    per: 'workspace',
    variable: 'RATE_LIMIT_FUNCTION_RUNS',
    summary: 'Calls of declared functions a minute over HTTP in one workspace.',
  },
  upload: {
    ...minute,
    name: 'uploads',
    points: 50,
    per: 'caller',
    variable: 'RATE_LIMIT_UPLOADS',
    summary: 'Files a minute one caller may send.',
  },
  createWorkspace: {
    ...minute,
    name: 'create-workspace',
    points: 3,
    per: 'caller',
    counts: 'created',
    variable: 'RATE_LIMIT_CREATE_WORKSPACE',
    summary: 'Workspaces created, imported, pulled or duplicated a minute by one caller.',
  },
  ...accountLimits,
} as const satisfies Record<string, RateLimit>

/** The name of a limit. */
export type LimitName = keyof typeof rateLimits
