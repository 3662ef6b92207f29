import { z } from 'zod'
import { endpoint } from './endpoint.ts'

const metric = z.number().describe('Grows by every `increment`; `set` replaces it.')

const UsageMetrics = z.object({
  transactions: z
    .number()
    .describe('Runs that something outside started: http, event and schedule together.'),
  httpTransactions: z.number(),
  eventTransactions: z.number(),
  scheduleTransactions: z.number(),
  sessions: z.number().describe('Different sessions behind these runs.'),
  users: z.number().describe('Different users behind these runs.'),
})
export type UsageMetrics = z.output<typeof UsageMetrics>

const AppUsageMetrics = z.object({
  slug: z.string(),
  total: z.object({ custom: z.record(z.string(), metric) }),
  appInstances: z
    .array(z.object({ slug: z.string(), total: z.object({ custom: z.record(z.string(), metric) }) }))
    .optional()
    .describe('Only with details.'),
})
export type AppUsageMetrics = z.output<typeof AppUsageMetrics>

export const WorkspaceUsage = z.object({
  workspaceId: z.string(),
  afterDate: z.iso.datetime(),
  beforeDate: z.iso.datetime(),
  interval: z.enum(['day', 'month']).optional(),
  total: UsageMetrics,
  timeseries: z
    .array(z.object({ date: z.iso.datetime(), total: UsageMetrics, apps: z.array(AppUsageMetrics) }))
    .optional()
    .describe('Days or months (UTC) in which something happened; only with interval.'),
  apps: z.array(AppUsageMetrics),
})
export type WorkspaceUsage = z.output<typeof WorkspaceUsage>

const instant = z.union(
  [z.iso.datetime({ offset: true }), z.iso.date()],
  'must be a date such as 2026-01-31 or 2026-01-31T10:00:00Z',
)

const exampleMetrics = {
  transactions: 3,
  httpTransactions: 2,
  eventTransactions: 1,
  scheduleTransactions: 0,
  sessions: 2,
  users: 2,
}

export const workspaceUsage = endpoint({
  id: 'workspaceUsage',
  summary: 'What a workspace used between two days: runs, sessions, users and the figures of its apps.',
  service: 'events',
  credential: 'required',
  scope: 'events:read',
  permission: { action: 'get_usage', on: 'workspaces' },
  method: 'get',
  path: '/v2/workspaces/:workspaceId/usage',
  query: z.object({
    afterDate: instant.describe('First day (UTC) that counts.'),
    beforeDate: instant.describe(
      'Exclusive: an instant within a day counts that day, its midnight does not.',
    ),
    interval: z.enum(['day', 'month']).optional().describe('Adds a time series.'),
    details: z
      .enum(['true', 'false'])
      .default('false')
      .transform((text) => text === 'true')
      .describe('Adds the instances of each app.'),
  }),
  response: WorkspaceUsage,
  failures: [
    'RequestValidationError',
    'AuthenticationError',
    'ForbiddenError',
    'InsufficientScope',
    'ObjectNotFoundError',
    'ServiceUnavailable',
  ],
  example: {
    response: {
      workspaceId: 'k3x9w0a1b2c3d4e5',
      afterDate: '2026-11-01T00:00:00.000Z',
      beforeDate: '2026-12-01T00:00:00.000Z',
      total: exampleMetrics,
      apps: [{ slug: 'crawler', total: { custom: { pages: 12 } } }],
    },
  },
})
