import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleId } from './example-values.ts'
import { DefinitionOfRun, runActionOf } from './run-actions.ts'
import { RunFilter, runFailures } from './run-records.ts'

/** Runs that one request may act on. */
export const MAX_BULK_RUNS = 10_000

export const bulkRuns = endpoint({
  ...runActionOf,
  id: 'bulkRuns',
  summary:
    'Replays, retries or cancels all runs of a filter to which that can be done, at most 10,000: those that are ' +
    'there now. Accepted, it goes on by itself, a few at a time, oldest first; `plan: true` only counts them. A run ' +
    'that was retried is not retried here again, unless that was cancelled: where its retry failed, that one is.',
  path: '/v2/workspaces/:workspaceId/runs/bulk',
  body: z
    .strictObject({
      action: z.enum(['replay', 'retry', 'cancel']),
      filter: RunFilter.describe('As in the query of the list of runs.'),
      definition: DefinitionOfRun.optional().describe('For `replay`, as there.'),
      reason: z.string().trim().max(500).optional().describe('For `cancel`, as there.'),
      plan: z.boolean().optional().describe('true: nothing is done.'),
    })
    .refine(({ action, definition }) => action === 'replay' || definition === undefined, {
      path: ['definition'],
      message: 'is for replay only: leave it out',
    }),
  response: z.object({
    matched: z.int().describe('Runs of the filter to which it can be done.'),
    jobId: z.uuid().optional().describe('Not there where nothing is to be done.'),
  }),
  failures: [...runFailures, 'SuspendedWorkspaceError', 'TooManyRequests'],
  example: {
    request: { action: 'retry', filter: { status: 'failed', automation: 'notify' } },
    response: { matched: 128, jobId: exampleId },
  },
})

export const getBulkRuns = endpoint({
  id: 'getBulkRuns',
  service: 'runtime',
  credential: 'required',
  scope: 'workspaces:read',
  permission: { action: 'read', on: 'automations' },
  method: 'get',
  summary: 'How far something is that was asked for many runs; known for a week.',
  path: '/v2/workspaces/:workspaceId/runs/bulk/:jobId',
  response: z.object({
    action: z.enum(['replay', 'retry', 'cancel']),
    total: z.int(),
    done: z.int(),
    failed: z.int().describe('Could not be done by then: the run had ended, was dropped, or was retried.'),
    createdAt: z.iso.datetime(),
    finishedAt: z.iso.datetime().nullable(),
  }),
  failures: runFailures,
  example: {
    response: {
      action: 'retry',
      total: 128,
      done: 127,
      failed: 1,
      createdAt: '2026-11-21T09:00:00.000Z',
      finishedAt: '2026-11-21T09:00:04.000Z',
    },
  },
})
