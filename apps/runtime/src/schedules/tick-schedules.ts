import { type EventRecord, runtimeEvents } from '@platform/contracts'
import { derivedUuidv7, MINUTE_MS, SECOND_MS, WakeUp } from '@platform/kernel'
import { buildRecord, checkNative } from '@platform/outbox'
import type { Job } from '@platform/service'
import type { QueuedRun } from '../automations/model.ts'
import type { ScheduleTimes } from './next-time.ts'
import { runOfTick } from './schedule.ts'
import type { DueSchedule, ScheduleStore, Ticked } from './schedule-store.ts'

interface Deps {
  readonly schedules: Pick<ScheduleStore, 'msToNext' | 'tick'>
  readonly times: ScheduleTimes
  /** Stores the schedules of these workspaces as they are saved by now. */
  readonly sync: (workspaceIds: readonly string[]) => Promise<void>
  /** Keeps the workers of this instance from beginning queued runs, until the answer is called. */
  readonly holdBackWorkers: () => () => void
}

/** A schedule that another process has just saved is seen after this long. */
const LOOK_MS = SECOND_MS
/** Others hold what is due: they have it done in a moment. */
const OTHERS_MS = 100
const BATCH = 500
/** Computing what to do with a batch ends after this long: the rest of it is due still. */
const COMPUTING_MS = 25
/** So late a time has been missed; before, a process was only busy. */
const LATE_MS = MINUTE_MS
/** Missed times at most that are made up for with `all`, and that are counted. */
const MAX_MISSED = 100

/** Any process ticks: rows are locked while their runs are queued and their next times written. */
export function tickSchedules(deps: Deps): Job {
  const pauses = new WakeUp()
  const pause = (ms: number, signal: AbortSignal) => pauses.waitSince(pauses.count, ms, signal)
  return {
    name: 'tick-schedules',
    everyMs: LOOK_MS,
    async run(signal) {
      while (!signal.aborted) {
        const ms = await tickDue(deps, signal)
        await pause(Math.min(Math.ceil(ms), LOOK_MS), signal)
      }
    },
  }
}

/**
 * Queues all that is due before any of it begins: the first runs would take from the last ticks what these need to be
 * in time. Answers in how many milliseconds to look again.
 */
async function tickDue(deps: Deps, signal: AbortSignal): Promise<number> {
  let ms = await msToNext(deps)
  if (ms > 0) return ms
  const letGo = deps.holdBackWorkers()
  try {
    while (ms <= 0 && !signal.aborted) {
      if (!(await tickOnce(deps))) return OTHERS_MS
      ms = await msToNext(deps)
    }
    return ms
  } finally {
    letGo()
  }
}

const msToNext = async ({ schedules }: Deps): Promise<number> => (await schedules.msToNext()) ?? LOOK_MS

/** Answers whether it found something to do. */
export async function tickOnce(deps: Deps): Promise<boolean> {
  const stale = new Set<string>()
  const ticked = await deps.schedules.tick(BATCH, (due) => {
    for (const one of due) if (!one.isCurrent) stale.add(one.workspaceId)
    return tickEach(
      due.filter(({ isCurrent }) => isCurrent),
      deps.times,
    )
  })
  if (stale.size > 0) await deps.sync([...stale])
  return ticked.length > 0 || stale.size > 0
}

function tickEach(due: readonly DueSchedule[], times: ScheduleTimes): Ticked[] {
  const startedAt = performance.now()
  const ticked: Ticked[] = []
  for (const one of due) {
    ticked.push(tick(one, times))
    if (performance.now() - startedAt > COMPUTING_MS) break
  }
  return ticked
}

/** What becomes of a schedule whose time has come, and of the times that were missed before. */
export function tick(due: DueSchedule, times: ScheduleTimes): Ticked {
  const { workspaceId, automationSlug, position, now } = due
  const next = times.next(due, due.nextAt)
  const hasMissed = next !== undefined && next <= now
  const ticks = hasMissed ? times.latest(due, due.nextAt, now, MAX_MISSED) : [due.nextAt]
  const started = startedTicks(due, ticks)
  const runs = started.map((at) => runOfTick(due, at))
  return {
    ...{ workspaceId, automationSlug, position, runs },
    nextAt: (hasMissed ? times.next(due, now) : next) ?? null,
    lastAt: started.at(-1) ?? null,
    missedTicks: ticks.length - started.length,
    events: runs.map((run) => triggeredEvent(run, now)),
  }
}

/** Those of the ticks that start a run. */
function startedTicks({ missed, now, isSuspended }: DueSchedule, ticks: readonly Date[]): readonly Date[] {
  if (isSuspended) return []
  if (missed === 'all') return ticks
  const last = ticks.slice(-1)
  return missed === 'skip' ? last.filter((at) => now.getTime() - at.getTime() <= LATE_MS) : last
}

/** `runtime.schedules.triggered`: a schedule has started a run. */
export function triggeredEvent(run: QueuedRun, startedAt: Date): EventRecord {
  const { type } = runtimeEvents.schedulesTriggered
  const { workspaceId, automationSlug, trigger, correlationId } = run
  return checkNative(
    buildRecord({
      type,
      payload: { workspaceId, automation: automationSlug, trigger, startedAt: startedAt.toISOString() },
      source: { workspaceId, correlationId, automationSlug, host: { service: 'runtime' } },
      id: derivedUuidv7(run.id, run.id, type),
    }),
  )
}
