import { type EventRecord, errorEvent } from '@platform/contracts'
import { derivedUuidv7 } from '@platform/kernel'
import { buildRecord, checkNative } from '@platform/outbox'
import type { ClaimedRun, ClaimedWork } from './run.ts'

/** A run whose workers died this often is given up. */
export const MAX_CRASHES = 5

/** A run whose workers died again and again does so for a reason of its own: it is put aside and everybody is told. */
export function giveUp(run: ClaimedRun): Pick<ClaimedWork, 'effects' | 'end'> {
  const error = {
    error: 'TooManyAttempts',
    message: `The run was given up after ${MAX_CRASHES} attempts, because none of them ended.`,
  }
  const details = { automationSlug: run.automationSlug, instruction: 'do', runId: run.id }
  const built = buildRecord({
    type: errorEvent.type,
    payload: { type: error.error, message: error.message, details },
    source: {
      workspaceId: run.workspaceId,
      correlationId: run.correlationId,
      automationSlug: run.automationSlug,
      automationDepth: run.input.depth + 1,
      host: { service: 'runtime' },
    },
    id: derivedUuidv7(run.id, run.id, 'given up'),
  })
  const record: EventRecord = { ...checkNative(built), error: { ...error, details, level: 'error' } }
  return {
    effects: { queued: [], patches: [], events: [record] },
    end: { status: 'failed', durationMs: 0, error, isDeadLetter: true },
  }
}
