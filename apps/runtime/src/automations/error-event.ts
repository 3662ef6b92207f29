import { type EventRecord, type EventSource, errorEvent } from '@platform/contracts'
import { derivedUuidv7 } from '@platform/kernel'
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
  /** fatal: it is not tried again; warning: nothing has failed yet. */
  readonly level: 'warning' | 'error' | 'fatal'
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

/** The same of a context that is large, as a warning: more of it will be refused. */
export function largeContextEvent(
  { run, automation, depth }: FailedFrame,
  { context, size, max }: { readonly context: string; readonly size: number; readonly max: number },
  limits: EventLimits,
): EventRecord {
  const message = `The context ${context} has ${size} characters; more than ${max} will be refused: keep less in it.`
  const told = {
    error: 'PayloadTooLarge',
    message,
    details: { context, size, max },
    automationSlug: automation.slug,
  }
  const about = {
    id: derivedUuidv7(run.runId, run.runId, 'size', context),
    runId: run.runId,
    source: sourceOf(run, automation.slug, depth),
    createdAt: run.now().toISOString(),
    level: 'warning',
  } as const
  return errorRecord(told, about, limits)
}
