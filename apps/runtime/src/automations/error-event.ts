import { type EventRecord, type EventSource, errorEvent } from '@platform/contracts'
import type { EventLimits } from '@platform/outbox'
import { storable } from '../contexts/storable.ts'
import type { AutomationFailure } from './automation-failure.ts'
import type { SourcePlace } from './model.ts'
import { type FailedFrame, sourceOf, storableRecord } from './run-events.ts'

/** A failure as it is told of; secrets are masked. */
export interface ToldError {
  readonly error: string
  readonly message: string
  readonly details?: unknown
  readonly automationSlug?: string | undefined
  readonly instruction?: string | undefined
  /** Where the instruction stands in the text of the automation, if it was saved as YAML. */
  readonly line?: number
  readonly column?: number
}

interface About {
  readonly id: string
  readonly runId: string
  readonly source: EventSource
  readonly createdAt: string
  /** fatal: it is not tried again. */
  readonly level: 'error' | 'fatal'
}

/** The event `error`: of a run that failed, or was given up. */
export function errorRecord(told: ToldError, about: About, limits: EventLimits): EventRecord {
  const { runId, level, ...parts } = about
  const { error: type, message, ...details } = storable(told) as ToldError
  const described = { message, details: { ...details, runId } }
  const record = storableRecord({ ...parts, type: errorEvent.type }, { type, ...described }, limits)
  return { ...record, error: { error: type, ...described, level } }
}

/** The same of what failed in a frame. */
export function failedEvent(
  frame: FailedFrame,
  { failure, automationSlug, instruction }: AutomationFailure,
  place: SourcePlace | undefined,
  limits: EventLimits,
): EventRecord {
  const { run, automation, depth } = frame
  const told = run.secrets.mask({ ...failure.toJSON(), automationSlug, instruction, ...place }) as ToldError
  const about = {
    id: run.reportId(frame, errorEvent.type),
    runId: run.runId,
    source: sourceOf(run, automation.slug, depth),
    createdAt: run.now().toISOString(),
    level: 'error',
  } as const
  return errorRecord(told, about, limits)
}
