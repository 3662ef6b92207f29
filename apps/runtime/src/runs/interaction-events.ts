import { type EventRecord, runtimeEvents } from '@platform/contracts'
import { derivedUuidv7 } from '@platform/kernel'
import { buildRecord, checkNative } from '@platform/outbox'
import type { RunSubject, Trigger } from '../automations/model.ts'

/** A run that somebody outside has started. */
interface Started {
  /** Its event has an id made of that of the run: told again, it is the same. */
  readonly runId: string
  readonly workspaceId: string
  /** Its slug. */
  readonly automation: string
  readonly trigger: Trigger
  readonly subject: Pick<RunSubject, 'sourceWorkspaceId' | 'authenticatedWorkspaceId'>
  readonly correlationId: string
}

/** `runtime.interactions.triggered`, in the workspace that was called: of a run that another workspace has started. */
export function interactionEvents({
  runId,
  workspaceId,
  automation,
  trigger,
  subject: { sourceWorkspaceId, authenticatedWorkspaceId },
  correlationId,
}: Started): EventRecord[] {
  if (sourceWorkspaceId === undefined) return []
  const { type } = runtimeEvents.interactionsTriggered
  const payload = {
    workspaceId,
    sourceWorkspaceId,
    ...(authenticatedWorkspaceId === undefined ? {} : { authenticatedWorkspaceId }),
    automation,
    trigger,
    startedAt: new Date().toISOString(),
  }
  const source = { workspaceId, correlationId, host: { service: 'runtime' } }
  return [checkNative(buildRecord({ id: derivedUuidv7(runId, runId, type), type, payload, source }))]
}
