import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleRun, Run, runFailures } from './run-records.ts'
import { RunStop } from './run-steps.ts'

/** What all that acts on runs has in common. */
export const runActionOf = {
  service: 'runtime',
  credential: 'required',
  scope: 'workspaces:write',
  method: 'post',
  idempotent: 'answer',
  limits: ['runActions'],
} as const

const failures = [...runFailures, 'TooManyRequests'] as const

/** Which automations a run that is made from another has. */
export const DefinitionOfRun = z
  .enum(['original', 'current'])
  .describe('original: the automations as they were for the first run; current: as they are now.')

export const cancelRun = endpoint({
  ...runActionOf,
  id: 'cancelRun',
  summary:
    'Cancels a run. One that is queued has ended with the answer; one that is running ends at its next instruction: ' +
    'what it did is kept, and its `finally` is run for 30 s at most, or until it is cancelled again.',
  path: '/v2/workspaces/:workspaceId/runs/:runId/cancel',
  body: z
    .strictObject({
      reason: z
        .string()
        .trim()
        .max(500)
        .optional()
        .describe('Kept in the record, for everybody who reads it.'),
    })
    .optional(),
  response: z.object({ run: Run }),
  failures: [...failures, 'RunEnded'],
  example: {
    request: { reason: 'The import was started twice.' },
    response: {
      run: {
        ...exampleRun,
        status: 'cancelled',
        startedAt: null,
        workedMs: 0,
        error: { error: 'RunEnded', message: 'The run was cancelled: The import was started twice.' },
      },
    },
  },
})

export const retryRun = endpoint({
  ...runActionOf,
  id: 'retryRun',
  summary:
    'Runs again what failed or was given up: a new run with the input, trigger and correlation id of the first. ' +
    'Where nothing of its automations was saved since, and what it did is kept, it goes on where that failed; else ' +
    'it begins anew, with the automations as they are now. What the first one did is not undone. While a retry of it ' +
    'has not ended it is not retried again.',
  path: '/v2/workspaces/:workspaceId/runs/:runId/retry',
  body: z.strictObject({}).optional(),
  response: z.object({ run: Run }),
  failures: [...failures, 'SuspendedWorkspaceError', 'RunNotEnded', 'RunEnded', 'RunExpired'],
  example: {
    request: {},
    response: {
      run: {
        ...exampleRun,
        id: '0199f0c4-11de-7c02-a4f1-52d3c8b9e601',
        status: 'queued',
        startedAt: null,
        finishedAt: null,
        workedMs: 0,
        elapsedMs: 0,
        origin: { runId: exampleRun.id, kind: 'retry' },
        error: null,
      },
    },
  },
})

const exampleAgain = {
  ...exampleRun,
  id: '0199f0c4-11de-7c02-a4f1-52d3c8b9e601',
  status: 'queued',
  startedAt: null,
  finishedAt: null,
  workedMs: 0,
  elapsedMs: 0,
  error: null,
} as const

/** What a run that is done again would do. */
const PlannedEffect = z.object({
  number: z.int().describe('Where to fork.'),
  path: z.string().describe('The place of its instruction.'),
  automationSlug: z.string(),
  kind: z.string().describe('The instruction.'),
  summary: z.string().describe('What it is about: the event, the address, the variable or the automation.'),
})

export const replayRun = endpoint({
  ...runActionOf,
  id: 'replayRun',
  summary:
    'Runs again what has ended, however it did: a new run with the input, trigger and correlation id of the first, ' +
    'from its beginning. What the first one did is not undone, and done again, unless `effects` says `recorded`.',
  path: '/v2/workspaces/:workspaceId/runs/:runId/replay',
  body: z
    .strictObject({
      definition: DefinitionOfRun.optional().describe('original without it.'),
      effects: z
        .enum(['real', 'recorded'])
        .optional()
        .describe(
          'real, which it is without it; recorded: nothing is done, what came in then comes in again, and the run ' +
            'ends with the answer, at the latest where it needs what nobody has told it.',
        ),
      plan: z.boolean().optional().describe('true: there is no run, only a list of what it would do.'),
    })
    .optional(),
  response: z.object({
    run: Run.optional(),
    effects: z.array(PlannedEffect).optional().describe('With `plan`: at most 1,000.'),
    stoppedAt: RunStop.optional().describe(
      'With `plan`: where the list ends before a replay would. notKept: what it does then depends on answers that ' +
        'are not kept (RUN_DETAILS says of which runs they are) or that nobody has given yet.',
    ),
  }),
  failures: [...failures, 'SuspendedWorkspaceError', 'RunNotEnded', 'RunExpired'],
  example: {
    request: { definition: 'current' },
    response: { run: { ...exampleAgain, origin: { runId: exampleRun.id, kind: 'replay' } } },
  },
})

export const forkRun = endpoint({
  ...runActionOf,
  id: 'forkRun',
  summary:
    'Goes on from an effect of a run that has ended: a new run that has done what the first did before, with the ' +
    'answers it got, and does none of it again.',
  path: '/v2/workspaces/:workspaceId/runs/:runId/fork',
  body: z.strictObject({
    at: z.int().min(1).max(2_147_483_647).describe('Number of the first effect that is done anew.'),
    set: z
      .array(
        z.strictObject({
          path: z.string().min(1).max(1000).describe('As in `set`: order.items[0], global.count.'),
          value: z.unknown(),
        }),
      )
      .max(50)
      .optional()
      .describe('Variables that are changed before it goes on.'),
    definition: DefinitionOfRun.optional().describe(
      'original without it. With current the automations must do the same before that effect as they did.',
    ),
  }),
  response: z.object({ run: Run }),
  failures: [...failures, 'SuspendedWorkspaceError', 'RunNotEnded', 'RunExpired'],
  example: {
    request: { at: 3, set: [{ path: 'order.paid', value: true }] },
    response: { run: { ...exampleAgain, origin: { runId: exampleRun.id, kind: 'fork' } } },
  },
})
