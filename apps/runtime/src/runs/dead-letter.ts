import type { EventRecord } from '@platform/contracts'
import { derivedUuidv7 } from '@platform/kernel'
import type { EventLimits } from '@platform/outbox'
import { errorRecord, type ToldError } from '../automations/error-event.ts'
import type { SourcePlace } from '../automations/model.ts'
import type { ClaimedRun, ClaimedWork } from './run.ts'

/** The event `error` of a run that is not tried again: it stays in the list of dead letters. */
export function deadLetterEvent(
  run: ClaimedRun,
  error: ToldError,
  level: 'error' | 'fatal',
  limits: EventLimits,
): EventRecord {
  const { id: runId, workspaceId, correlationId, automationSlug, input } = run
  const host = { service: 'runtime' } as const
  const source = { workspaceId, correlationId, automationSlug, automationDepth: input.depth + 1, host }
  const id = derivedUuidv7(runId, runId, 'given up')
  return errorRecord(error, { id, runId, source, createdAt: new Date().toISOString(), level }, limits)
}

/** A run that has ended its process twice, the second time where it was alone. */
export function endsProcesses(
  run: ClaimedRun,
  seen: string,
  place: Pick<ClaimedRun, 'automationSlug'> & { instruction: string } & Partial<SourcePlace>,
  limits: EventLimits,
): Pick<ClaimedWork, 'effects' | 'end'> {
  const { automationSlug, instruction } = place
  const error = {
    error: 'TooManyAttempts',
    message:
      `The run ended the process that executed it, twice: the process ${seen} at ${instruction} of the automation ` +
      `"${automationSlug}". Let this instruction do less, then retry the run.`,
    ...place,
  }
  return {
    effects: { queued: [], patches: [], events: [deadLetterEvent(run, error, 'fatal', limits)] },
    end: { status: 'failed', durationMs: 0, error, isDeadLetter: true },
  }
}

/**
 * A run whose workers crash again and again is the reason itself: it ends as a dead letter, and an event reports it.
 */
export function tooManyCrashes(
  run: ClaimedRun,
  crashes: number,
  limits: EventLimits,
): Pick<ClaimedWork, 'effects' | 'end'> {
  const error = {
    error: 'TooManyAttempts',
    message: `The run was given up after ${crashes} attempts, because none of them ended.`,
    automationSlug: run.automationSlug,
    instruction: 'do',
  }
  return {
    effects: { queued: [], patches: [], events: [deadLetterEvent(run, error, 'error', limits)] },
    end: { status: 'failed', durationMs: 0, error, isDeadLetter: true },
  }
}
