import type { ScheduleRecord } from '@platform/contracts'
import { derivedUuidv7, uuidv7 } from '@platform/kernel'
import type { QueuedRun } from '../automations/model.ts'

/** Which schedule it is: where it stands in `when.schedules` of an automation. */
export interface ScheduleAddress {
  readonly workspaceId: string
  readonly automationSlug: string
  readonly position: number
}

/** A schedule as it was saved. */
export interface Schedule extends ScheduleAddress {
  readonly cron: string
  readonly timezone: string
  /** What becomes of the times that no process was up for. */
  readonly missed: ScheduleRecord['missed']
  readonly disabled: boolean
}

/** A schedule that starts a run. */
export interface StartingSchedule extends Schedule {
  /** Of its automation: which of its queued runs go first. */
  readonly priority: number
}

/** The run of a tick. Its id is derived from the tick: done a second time it changes nothing. */
export const runOfTick = (schedule: StartingSchedule, tick: Date): QueuedRun =>
  runOf(schedule, tick, tickRunId(schedule, tick))

export function tickRunId({ workspaceId, automationSlug, position }: ScheduleAddress, tick: Date): string {
  const ms = tick.getTime()
  return derivedUuidv7(uuidv7(ms), 'schedule', workspaceId, automationSlug, position, ms)
}

/** A run that a schedule starts. What it emits belongs to it alone, so its id is the correlation id as well. */
export const runOf = (schedule: StartingSchedule, at: Date, id: string): QueuedRun => ({
  id,
  workspaceId: schedule.workspaceId,
  automationSlug: schedule.automationSlug,
  trigger: { type: 'schedule', value: schedule.cron, id: at.toISOString() },
  correlationId: id,
  priority: schedule.priority,
  input: { payload: {}, caller: {}, depth: 0 },
})
