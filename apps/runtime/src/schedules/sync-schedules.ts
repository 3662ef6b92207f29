import { type EventRecord, runtimeEvents } from '@platform/contracts'
import { MINUTE_MS, uuidv7 } from '@platform/kernel'
import { buildRecord, checkNative } from '@platform/outbox'
import type { Job } from '@platform/service'
import type { ScheduleTimes } from './next-time.ts'
import type { AutomationAddress, SavedSchedules, ScheduleChange, ScheduleStore } from './schedule-store.ts'

interface Deps {
  readonly schedules: Pick<ScheduleStore, 'change' | 'listDiffering'>
  readonly times: ScheduleTimes
}

/** Stores the schedules of workspaces as they are saved. */
export type SyncSchedules = (workspaceIds: readonly string[]) => Promise<void>

const COMPARE_MS = 10 * MINUTE_MS
/** Workspaces of one transaction. */
const BATCH = 100

/**
 * What is saved is the truth: only what differs from it is written. A schedule that fires at other times than before
 * does so from now on.
 */
export const syncSchedules =
  ({ schedules, times }: Deps): SyncSchedules =>
  async (workspaceIds) => {
    for (let first = 0; first < workspaceIds.length; first += BATCH)
      await schedules.change((change) => syncSome(change, workspaceIds.slice(first, first + BATCH), times))
  }

/** Finds what no event told of. */
export const compareSchedules = (deps: Deps): Job => ({
  name: 'compare-schedules',
  everyMs: COMPARE_MS,
  async run(signal) {
    const sync = syncSchedules(deps)
    while (!signal.aborted) {
      const differing = await deps.schedules.listDiffering(BATCH)
      await sync(differing)
      if (differing.length < BATCH) return
    }
  },
})

async function syncSome(
  change: ScheduleChange,
  workspaceIds: readonly string[],
  times: ScheduleTimes,
): Promise<void> {
  const differences = await change.listDifferences(workspaceIds)
  if (differences.length === 0) return
  const now = await change.now()
  const gone = differences.filter(({ isGone }) => isGone)
  const saved = differences.filter(({ isGone }) => !isGone)
  await change.remove(gone)
  await change.write(
    saved.map((one) => ({ ...one, nextAt: one.disabled ? null : (times.next(one, now) ?? null) })),
  )
  const changed = differences.filter(({ isChanged }) => isChanged)
  // Of an automation that is gone another event has told.
  const automations = changed.length === 0 ? [] : await change.listSaved(distinct(changed))
  await change.addEvents(automations.map(createdEvent))
}

const distinct = (automations: readonly AutomationAddress[]): AutomationAddress[] => [
  ...new Map(automations.map((one) => [`${one.workspaceId} ${one.automationSlug}`, one])).values(),
]

/** `runtime.schedules.created`: an automation has other schedules than before, or none any more. */
function createdEvent({ workspaceId, automationSlug, schedules }: SavedSchedules): EventRecord {
  return checkNative(
    buildRecord({
      type: runtimeEvents.schedulesCreated.type,
      payload: { slug: automationSlug, schedules },
      source: { workspaceId, correlationId: uuidv7(), automationSlug, host: { service: 'runtime' } },
    }),
  )
}
