import { z } from 'zod'
import { AutomationSlug } from './automations.ts'
import { endpoint } from './endpoint.ts'
import { exampleId, exampleInstant } from './example-values.ts'
import { instant } from './instant.ts'
import { paging } from './paging.ts'
import { RunChange, RunError, RunState, RunStep, RunStop } from './run-steps.ts'
import { TriggerType } from './runs.ts'

/** Where a run stands: it waits for a worker, is at work, stands at a `wait`, or has ended. */
export const RunStatus = z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'])
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
        .enum(['slot', 'retry', 'debounce', 'quarantine', 'event', 'time'])
        .describe(
          'Of a queued run slot: the end of another run, because of `concurrency`; retry: its next try; ' +
            'debounce: that no later event comes; quarantine: to be done apart from others, because the process ' +
            'ended that it was at work in. Of a waiting one event or time: what its `wait` says.',
        ),
      until: z.iso.datetime().nullable().describe('When it goes on at the latest.'),
      events: z.array(z.string()).optional().describe('The types of the events it waits for.'),
    })
    .nullable()
    .describe('What a queued or waiting run waits for; null where only for a worker.'),
  origin: z
    .object({ runId: z.uuid(), kind: z.enum(['replay', 'fork', 'retry']) })
    .nullable()
    .describe('The run it was made from, and how.'),
  retriedBy: z
    .object({ runId: z.uuid(), status: RunStatus })
    .nullable()
    .describe('Of a run that failed: the last run that was made by retrying it, and where that stands.'),
  sourceWorkspaceId: z
    .string()
    .nullable()
    .describe('The workspace whose run has called it, where it is another one.'),
  authenticatedWorkspaceId: z
    .string()
    .nullable()
    .describe('The workspace that has called for itself, and nobody whom it acts for.'),
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
    .describe(
      'true: only runs that were given up, without those that succeeded when they were retried; false: none that were.',
    ),
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
  retriedBy: null,
  sourceWorkspaceId: null,
  authenticatedWorkspaceId: null,
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

const exampleStep = {
  path: 'do[0].set',
  instruction: 'set',
  automationSlug: 'notify',
  number: 1,
  status: 'done',
  startedAt: '2026-11-21T09:00:00.020Z',
  durationMs: 0,
  changed: [{ context: 'global', path: 'mails', before: 4, after: 5 }],
} as const

const effectNumber = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number)

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
  summary:
    'One run: how it was triggered, how it ended, where it failed and what to do about it, and what each of its ' +
    'steps did. The steps are worked out from what came in to the run, which is kept while it goes on; afterwards ' +
    'RUN_DETAILS of the installation says of which runs. Shown are 1,000 steps, 100 of them beside one another, and ' +
    '1 MB.',
  path: '/v2/workspaces/:workspaceId/runs/:runId',
  query: z.strictObject({
    steps: z.enum(['tree', 'none']).default('tree').describe('none: nothing of what it did; costs less.'),
    path: z
      .string()
      .min(1)
      .max(2000)
      .optional()
      .describe('`morePath` of an answer: the steps from there on, of which that one left some out.'),
    at: effectNumber
      .optional()
      .describe('As it stood after the effect of this number; more than there were: at its end.'),
  }),
  response: Run.extend({
    input: z
      .unknown()
      .optional()
      .describe(
        'What its automation was given, without credentials, secrets and arguments marked `redact: true`, which are ' +
          'hidden in everything below as well; not shown while there is no such automation.',
      ),
    output: z.unknown().optional(),
    contexts: z.array(RunChange).optional().describe('What it changed of contexts, all steps together.'),
    steps: z.array(RunStep).optional(),
    more: z.int().optional().describe('Steps of this list that are left out.'),
    morePath: z.string().optional().describe('What `path` takes to show these.'),
    stoppedAt: RunStop.optional().describe('Where the steps end before the run does.'),
    eventsUrl: z.string().describe('The events of its correlation id: those it emitted are among them.'),
  }),
  etag: true,
  example: {
    response: {
      ...exampleRun,
      input: { payload: { order: { id: 5 } }, id: '0199f0c2-6a3e-7a10-8c51-7d1f4b2e9a60' },
      contexts: [{ context: 'global', path: 'mails', before: 4, after: 5 }],
      steps: [exampleStep],
      eventsUrl: '/v2/workspaces/k3x9w0a1b2c3d4e5/events?correlationId=0199f0c26a3e7b1c',
    },
  },
})

export const getRunState = endpoint({
  ...of,
  id: 'getRunState',
  summary: 'What the variables of a run held after one of its effects, as far as they may be shown.',
  path: '/v2/workspaces/:workspaceId/runs/:runId/state',
  query: z.strictObject({
    at: effectNumber.describe('Number of the effect; 0: before the first; more than there were: its end.'),
  }),
  response: RunState,
  failures: [...runFailures, 'RunExpired'],
  example: {
    response: {
      number: 1,
      path: 'do[1].send-mail',
      automationSlug: 'notify',
      locals: { payload: { order: { id: 5 } } },
      contexts: { global: { mails: 5 }, user: {}, session: {}, run: {} },
    },
  },
})

export const streamRun = endpoint({
  ...of,
  id: 'streamRun',
  summary:
    'Follows a run (server-sent events): `run` at first and when its status changes, `step` for each step that has ' +
    'ended, without what it worked with, `end` with the record of the run that has ended; then the stream ends. ' +
    'Last-Event-ID goes on where a stream was cut. A run that a request waits for is there when it has ended.',
  path: '/v2/workspaces/:workspaceId/runs/:runId/stream',
  query: z.strictObject({
    lastEventId: z.string().max(20).optional().describe('As the header, for clients that can’t set it.'),
  }),
  response: z.string(),
  mediaTypes: ['text/event-stream'],
  failures: [...runFailures, 'TooManyRequests'],
  example: { response: `event: end\ndata: ${JSON.stringify(exampleRun)}\n\n` },
})
