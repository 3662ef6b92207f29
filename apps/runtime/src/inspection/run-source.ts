import type { Run } from '@platform/contracts'
import { keptInput, type Segment } from '../automations/journal-entries.ts'
import type { RunInput, Trigger } from '../automations/model.ts'
import type { Definitions } from '../definitions/definitions.ts'
import type { ReadOrder } from './read-run.ts'

/** A run as its row has it. */
export interface StoredRun {
  readonly id: string
  readonly automationSlug: string
  readonly status: Run['status']
  readonly triggerType: Trigger['type']
  readonly triggerValue: string
  readonly triggerId: string | null
  readonly correlationId: string
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly try: number
  /** Null where it is kept with its journal, or not at all. */
  readonly input: RunInput | null
  /** Of its workspace, when it began; null where that is not known. */
  readonly revision: number | null
}

export interface Sources {
  readonly journals: { list(runId: string, tries: number): Promise<Segment[]> }
  readonly definitions: Pick<Definitions, 'find'>
}

/** What it takes to do a run again. */
export interface RunSource {
  readonly order: ReadOrder
}

/** As far as the segment `upTo`. Undefined where its automation, or what it was called with, is not there any more. */
export async function sourceOf(
  { journals, definitions }: Sources,
  workspaceId: string,
  record: StoredRun,
  upTo = Number.POSITIVE_INFINITY,
): Promise<RunSource | undefined> {
  const all = await journals.list(record.id, record.try)
  const segments = all.filter(({ segment }) => segment <= upTo)
  const kept = keptInput(all)
  const input = record.input ?? (kept?.input as RunInput | undefined)
  if (input === undefined) return undefined
  const workspace = await definitions.find(workspaceId, record.revision ?? kept?.revision)
  const automation = await workspace?.find(record.automationSlug)
  if (workspace === undefined || automation === undefined) return undefined
  const { triggerType: type, triggerValue: value, triggerId: id } = record
  const trigger: Trigger = id === null ? { type, value } : { type, value, id }
  return {
    order: {
      runId: record.id,
      workspace,
      automation,
      payload: input.payload,
      trigger,
      subject: input.caller,
      correlationId: record.correlationId,
      depth: input.depth,
      try: record.try,
      segments,
      isAlone: kept?.isDurable === false,
      cancellation: record.status === 'cancelled' ? { reason: '', requests: 1 } : undefined,
    },
  }
}
