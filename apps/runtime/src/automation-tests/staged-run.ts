import type { EventRecord } from '@platform/contracts'
import { derivedUuidv7, type Failure } from '@platform/kernel'
import type { RunOrder, RunOutcome } from '../automations/engine.ts'
import type { CompiledAutomation } from '../automations/model.ts'
import type { SeenSteps } from '../inspection/seen-steps.ts'

/** A run of a test, also while it goes on. */
export interface StagedRun {
  readonly id: string
  readonly automationSlug: string
  readonly seen: SeenSteps
  end: ((reason: Failure) => void) | undefined
  mask: (value: unknown) => unknown
  outcome: RunOutcome | undefined
  contexts: { peek(name: string, key: string): unknown } | undefined
}

export type StagedOrder = Pick<RunOrder, 'automation' | 'payload' | 'trigger' | 'subject' | 'correlationId'> &
  Partial<Pick<RunOrder, 'depth' | 'http'>> & { readonly id?: string }

export interface GivenEvent {
  readonly event: string
  readonly payload?: Readonly<Record<string, unknown>> | undefined
  readonly source?: Readonly<Record<string, unknown>> | undefined
}

/** The run that an event starts. */
export function orderOf(
  { id, type, payload, source }: EventRecord,
  automation: CompiledAutomation,
): StagedOrder {
  const { userId, sessionId, ip, socketId } = source
  return {
    id: derivedUuidv7(id, id, automation.slug),
    automation,
    payload: { payload, source, id },
    trigger: { type: 'event', value: type, id },
    subject: { userId, sessionId, ip, socketId },
    correlationId: source.correlationId ?? id,
    depth: source.automationDepth ?? 0,
  }
}
