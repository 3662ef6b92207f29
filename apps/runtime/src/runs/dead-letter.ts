import { type EventRecord, errorEvent } from '@platform/contracts'
import { derivedUuidv7 } from '@platform/kernel'
import { buildRecord, checkNative } from '@platform/outbox'
import type { ClaimedRun, ClaimedWork } from './run.ts'

/** Why a run is given up, and where; secrets are masked. */
interface Reason {
  readonly error: string
  readonly message: string
  readonly automationSlug: string
  readonly instruction: string
}

/** The event `error` of a run that is not tried again: it stays in the list of dead letters. */
export function deadLetterEvent(
  run: ClaimedRun,
  { error, message, automationSlug, instruction }: Reason,
  level: 'error' | 'fatal',
): EventRecord {
  const details = { automationSlug, instruction, runId: run.id }
  const built = buildRecord({
    type: errorEvent.type,
    payload: { type: error, message, details },
    source: {
      workspaceId: run.workspaceId,
      correlationId: run.correlationId,
      automationSlug: run.automationSlug,
      automationDepth: run.input.depth + 1,
      host: { service: 'runtime' },
    },
    id: derivedUuidv7(run.id, run.id, 'given up'),
  })
  return { ...checkNative(built), error: { error, message, details, level } }
}

/**
 * A run whose workers crash again and again is the reason itself: it ends as a dead letter, and an event reports it.
 */
export function tooManyCrashes(run: ClaimedRun, crashes: number): Pick<ClaimedWork, 'effects' | 'end'> {
  const error = {
    error: 'TooManyAttempts',
    message: `The run was given up after ${crashes} attempts, because none of them ended.`,
    automationSlug: run.automationSlug,
    instruction: 'do',
  }
  return {
    effects: { queued: [], patches: [], events: [deadLetterEvent(run, error, 'error')] },
    end: { status: 'failed', durationMs: 0, error, isDeadLetter: true },
  }
}
