import { z } from 'zod'
import { MissedPolicy } from './automation-triggers.ts'
import { AutomationSlug } from './automations.ts'
import { endpoint } from './endpoint.ts'
import { exampleInstant } from './example-values.ts'
import { paging } from './paging.ts'
import { exampleRun, Run } from './run-records.ts'

/** A schedule of an automation, and when it fires. */
export const ScheduleRecord = z.object({
  automationSlug: z.string(),
  position: z.int().describe('Where it stands in `when.schedules`, counted from 0.'),
  cron: z.string(),
  timezone: z.string(),
  missed: MissedPolicy,
  next: z
    .array(z.iso.datetime())
    .max(5)
    .describe('The next times; none while the automation is disabled or where it never fires.'),
  lastAt: z.iso.datetime().nullable().describe('The last time that started a run.'),
  lastRunId: z.uuid().nullable(),
  missedTicks: z.int().describe('Times that had no run of their own because no process was up for them.'),
  disabled: z.boolean().describe('true: the automation is disabled, and nothing starts it.'),
})
export type ScheduleRecord = z.infer<typeof ScheduleRecord>

const asked = { service: 'runtime', credential: 'required' } as const
const failures = [
  'RequestValidationError',
  'AuthenticationError',
  'ForbiddenError',
  'InsufficientScope',
  'ObjectNotFoundError',
] as const
const exampleRunId = '019aaffe-e380-7fff-bff0-6f1c52e0a7d4'

export const listSchedules = endpoint({
  ...asked,
  id: 'listSchedules',
  summary:
    'A page of the schedules of a workspace, by automation and position, with the next five times of each.',
  scope: 'workspaces:read',
  permission: { action: 'read', on: 'automations' },
  method: 'get',
  path: '/v2/workspaces/:workspaceId/schedules',
  query: z.strictObject({
    automation: AutomationSlug.optional().describe('Only those of this automation, by its slug.'),
    ...paging,
  }),
  response: z.array(ScheduleRecord),
  failures,
  example: {
    response: [
      {
        automationSlug: 'daily-report',
        position: 0,
        cron: '0 9 * * mon-fri',
        timezone: 'Europe/Paris',
        missed: 'once',
        next: ['2026-01-05T08:00:00.000Z'],
        lastAt: exampleInstant,
        lastRunId: exampleRunId,
        missedTicks: 0,
        disabled: false,
      },
    ],
  },
})

export const runScheduleNow = endpoint({
  ...asked,
  id: 'runScheduleNow',
  summary: 'Starts a run as the schedule would at this moment; its own times stay as they are.',
  scope: 'workspaces:write',
  permission: { action: 'execute', on: 'automations' },
  method: 'post',
  path: '/v2/workspaces/:workspaceId/schedules/*automationSlug/:position/run',
  body: z.strictObject({}).optional(),
  response: z.object({ run: Run }),
  idempotent: 'answer',
  limits: ['webhooks'],
  failures: [...failures, 'SuspendedWorkspaceError', 'ServiceUnavailable', 'TooManyRequests'],
  example: {
    request: {},
    response: {
      run: {
        ...exampleRun,
        id: exampleRunId,
        status: 'queued',
        trigger: { type: 'schedule', value: '0 9 * * 1-5', id: exampleInstant },
        startedAt: null,
        finishedAt: null,
        workedMs: 0,
        elapsedMs: 0,
        error: null,
      },
    },
  },
})
