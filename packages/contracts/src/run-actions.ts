import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleRun, Run, runFailures } from './run-records.ts'

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
    'Runs again what failed or was given up: a new run with the input, trigger and correlation id of the first, from ' +
    'its beginning, with the automation as it is now. What the first one did is not undone.',
  path: '/v2/workspaces/:workspaceId/runs/:runId/retry',
  body: z.strictObject({}).optional(),
  response: z.object({ run: Run }),
  failures: [...failures, 'RunNotEnded', 'RunEnded', 'RunExpired'],
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

export const replayRun = endpoint({
  ...runActionOf,
  id: 'replayRun',
  summary:
    'Runs again what has ended, however it did: a new run with the input, trigger and correlation id of the first, ' +
    'from its beginning. What the first one did is not undone, and done again.',
  path: '/v2/workspaces/:workspaceId/runs/:runId/replay',
  body: z
    .strictObject({ definition: DefinitionOfRun.optional().describe('original without it.') })
    .optional(),
  response: z.object({ run: Run }),
  failures: [...failures, 'RunNotEnded', 'RunExpired'],
  example: {
    request: { definition: 'current' },
    response: {
      run: {
        ...exampleRun,
        id: '0199f0c4-11de-7c02-a4f1-52d3c8b9e601',
        status: 'queued',
        startedAt: null,
        finishedAt: null,
        workedMs: 0,
        elapsedMs: 0,
        origin: { runId: exampleRun.id, kind: 'replay' },
        error: null,
      },
    },
  },
})
