import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleRun, Run, runFailures } from './run-records.ts'

const of = {
  service: 'runtime',
  credential: 'required',
  scope: 'workspaces:write',
  method: 'post',
  idempotent: 'answer',
  limits: ['runActions'],
} as const

const failures = [...runFailures, 'TooManyRequests'] as const

export const cancelRun = endpoint({
  ...of,
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
