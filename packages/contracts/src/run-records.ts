import { z } from 'zod'
import { AutomationSlug } from './automations.ts'
import { endpoint } from './endpoint.ts'
import { exampleId, exampleInstant } from './example-values.ts'
import { instant } from './instant.ts'
import { paging } from './paging.ts'
import { RunError } from './run-steps.ts'
import { TriggerType } from './runs.ts'

/** Where a run stands: it waits for a worker, is at work, or has ended. */
export const RunStatus = z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled'])
export type RunStatus = z.infer<typeof RunStatus>

/** One execution of an automation, as far as it is recorded. A run that a request waits for is recorded at its end. */
export const Run = z.object({
  id: z.uuid(),
  automationSlug: z.string(),
  status: RunStatus,
  trigger: z.object({ type: TriggerType, value: z.string(), id: z.string().optional() }),
  correlationId: z.string(),
  deadLetter: z
    .boolean()
    .describe('true: given up, after its last try, or because every process that worked on it ended.'),
  createdAt: z.iso.datetime().describe('When it was triggered; lists are in this order, newest first.'),
  startedAt: z.iso.datetime().nullable(),
  finishedAt: z.iso.datetime().nullable(),
  workedMs: z.number().describe('Milliseconds from the beginning of its last attempt; 0 until it has ended.'),
  elapsedMs: z.number().describe('Milliseconds since it was triggered, until its end or until now.'),
  try: z.int().describe('How often it was begun anew because it had failed; 0 the first time.'),
  priority: z
    .int()
    .describe('Of its automation when it was queued: the greater goes first within the workspace.'),
  waitsFor: z
    .object({
      kind: z
        .enum(['slot', 'retry'])
        .describe('slot: the end of another run, because of `concurrency`; retry: its next try.'),
      until: z.iso.datetime().nullable(),
    })
    .nullable()
    .describe('What a queued run waits for; null where only for a worker.'),
  origin: z
    .object({ runId: z.uuid(), kind: z.enum(['replay', 'fork', 'retry']) })
    .nullable()
    .describe('The run it was made from, and how.'),
  error: RunError.nullable().describe('How it failed, or why it was cancelled; secrets are masked.'),
})
export type Run = z.infer<typeof Run>

const commaList = <Words extends z.ZodType<unknown, string>>(words: Words) =>
  z
    .string()
    .max(200)
    .transform((text) => text.split(','))
    .pipe(z.array(words))

/** Which runs are meant; all that is given must hold. */
export const RunFilter = z.strictObject({
  status: commaList(RunStatus).optional().describe('One or more, separated by commas.'),
  deadLetter: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('true: only runs that were given up; false: none of them.'),
  automation: AutomationSlug.optional(),
  trigger: commaList(TriggerType).optional().describe('One or more, separated by commas.'),
  correlationId: z.string().max(64).optional(),
  origin: z.uuid().optional().describe('Runs that were made from this one.'),
  after: instant.optional().describe('Triggered at this instant or later.'),
  before: instant.optional().describe('Triggered before this instant.'),
  text: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('In the slug, the trigger, the id or the message of the failure; case does not matter.'),
})
export type RunFilter = z.output<typeof RunFilter>

export const runFailures = [
  'RequestValidationError',
  'AuthenticationError',
  'ForbiddenError',
  'InsufficientScope',
  'ObjectNotFoundError',
  'ServiceUnavailable',
] as const

/** The run that examples show. */
export const exampleRun = {
  id: exampleId,
  automationSlug: 'notify',
  status: 'failed',
  trigger: { type: 'event', value: 'order.placed', id: '0199f0c2-6a3e-7a10-8c51-7d1f4b2e9a60' },
  correlationId: '0199f0c26a3e7b1c',
  deadLetter: false,
  createdAt: exampleInstant,
  startedAt: '2026-11-21T09:00:00.020Z',
  finishedAt: '2026-11-21T09:00:00.032Z',
  workedMs: 12,
  elapsedMs: 32,
  try: 0,
  priority: 0,
  waitsFor: null,
  origin: null,
  error: {
    error: 'InvalidArgumentsError',
    message: 'The argument email must be a text.',
    automationSlug: 'send-mail',
    instruction: 'arguments',
    line: 4,
    column: 1,
    remedy: 'Compare what the automation was given with its `arguments`.',
  },
} as const

const of = {
  service: 'runtime',
  credential: 'required',
  scope: 'workspaces:read',
  permission: { action: 'read', on: 'automations' },
  method: 'get',
  failures: runFailures,
} as const

export const listRuns = endpoint({
  ...of,
  id: 'listRuns',
  summary:
    'Runs of a workspace, newest first. A page looks at 20,000 runs at most: it may be short or empty, and ' +
    '`nextCursor` says that there is more. Runs that begin meanwhile change no later page.',
  path: '/v2/workspaces/:workspaceId/runs',
  query: z.strictObject({
    ...RunFilter.shape,
    limit: paging.limit,
    cursor: z.string().max(200).optional().describe('`nextCursor` of the page before, with the same filter.'),
  }),
  response: z.object({
    runs: z.array(Run),
    nextCursor: z.string().nullable().describe('null: there is nothing more.'),
  }),
  example: { response: { runs: [exampleRun], nextCursor: null } },
})

export const getRun = endpoint({
  ...of,
  id: 'getRun',
  summary: 'One run: how it was triggered, how it ended, where it failed and what to do about it.',
  path: '/v2/workspaces/:workspaceId/runs/:runId',
  response: Run.extend({
    input: z
      .unknown()
      .optional()
      .describe(
        'What its automation was given, without credentials, secrets and arguments marked `redact: true`. Kept of ' +
          'runs that events and automations start; not shown while there is no such automation.',
      ),
    eventsUrl: z.string().describe('The events of its correlation id: those it emitted are among them.'),
  }),
  etag: true,
  example: {
    response: {
      ...exampleRun,
      input: { payload: { order: { id: 5 } }, id: '0199f0c2-6a3e-7a10-8c51-7d1f4b2e9a60' },
      eventsUrl: '/v2/workspaces/k3x9w0a1b2c3d4e5/events?correlationId=0199f0c26a3e7b1c',
    },
  },
})
