import { type EventRecord, mayTrigger, nativeEvents } from '@platform/contracts'
import { derivedUuidv7 } from '@platform/kernel'
import { type BriefRecord, isWhole } from '@platform/outbox'
import { onOneInstance, type Subscription } from '@platform/service'
import type { QueuedRun } from '../automations/model.ts'
import type { Definitions } from '../definitions/definitions.ts'
import type { RunStore } from './run-store.ts'

/** Ends the waits that events are for, and queues runs in the same transaction; false where there are none. */
export type EndWaits = (
  events: readonly BriefRecord[],
  runs: Promise<readonly QueuedRun[]>,
) => Promise<boolean>

interface Deps {
  readonly definitions: Definitions
  readonly runs: Pick<RunStore, 'enqueue'>
  readonly endWaits: EndWaits
  /** Makes the workers of this instance look for queued runs. */
  readonly wakeWorkers: () => void
  /** Stores the schedules of these workspaces as they are saved by now. */
  readonly syncSchedules: (workspaceIds: readonly string[]) => Promise<void>
}

/** These are nearly all events, and hardly ever does a run wait for one: their workspaces and types are enough. */
const briefTypes = [...nativeEvents.keys()].filter((type) => !mayTrigger(type))

/** What begins like this tells of another definition: another schedule may be in it. */
const CHANGES = 'workspaces.'

/**
 * Ends the waits that events are for, and queues a run for each automation that listens to one, unless its workspace is
 * suspended. Ids are derived from the event and the automation: the same event delivered again finds its runs there
 * already. An event of a saved definition also brings its schedules up to date.
 */
export const onEvents = (deps: Deps): Subscription =>
  onOneInstance('runtime', (events) => handle(events, deps), { briefTypes })

async function handle(events: readonly BriefRecord[], deps: Deps): Promise<void> {
  await deps.syncSchedules(changedWorkspaces(events))
  const queued = Promise.all(events.map((event) => runsOf(event, deps.definitions))).then((some) =>
    some.flat(),
  )
  const isQueued = await deps.endWaits(events, queued)
  const runs = await queued
  if (runs.length > 0 && !isQueued) await deps.runs.enqueue(runs)
  if (runs.length === 0) return
  deps.wakeWorkers()
}

function changedWorkspaces(events: readonly BriefRecord[]): string[] {
  const changes = events.filter(({ type }) => type.startsWith(CHANGES))
  return [...new Set(changes.flatMap(({ source }) => source.workspaceId ?? []))]
}

async function runsOf(event: BriefRecord, definitions: Definitions): Promise<QueuedRun[]> {
  const { workspaceId } = event.source
  if (workspaceId === undefined || !mayTrigger(event.type) || !isWhole(event)) return []
  const workspace = await definitions.find(workspaceId)
  if (workspace?.suspendedFor !== undefined) return []
  return (workspace?.listeners(event.type) ?? []).map((slug) =>
    runOf(event, workspaceId, slug, workspace?.priorityOf(slug) ?? 0),
  )
}

function runOf(event: EventRecord, workspaceId: string, automationSlug: string, priority: number): QueuedRun {
  const { id, type, source, payload } = event
  const { userId, sessionId, ip, socketId, automationDepth } = source
  return {
    id: derivedUuidv7(id, id, workspaceId, automationSlug),
    workspaceId,
    automationSlug,
    trigger: { type: 'event', value: type, id },
    correlationId: source.correlationId ?? id,
    priority,
    input: {
      payload: { payload, source, id },
      caller: { userId, sessionId, ip, ...(socketId === undefined ? {} : { socketId }) },
      depth: automationDepth ?? 0,
    },
  }
}
