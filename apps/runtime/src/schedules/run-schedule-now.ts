import { runScheduleNow as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { type Clock, Failure, uuidv7 } from '@platform/kernel'
import { workspaceNotFound } from '@platform/permissions'
import { requireActive } from '../automations/suspension.ts'
import { describedRun, runNotFound } from '../runs/run-record.ts'
import type { RunRecordStore } from '../runs/run-record-store.ts'
import { runOf, type Schedule, type ScheduleAddress } from './schedule.ts'
import type { ScheduleStore } from './schedule-store.ts'
import { triggeredEvent } from './tick-schedules.ts'

interface Deps {
  readonly schedules: Pick<ScheduleStore, 'enqueue' | 'find'>
  readonly records: Pick<RunRecordStore, 'find'>
  readonly wakeWorkers: () => void
  readonly clock: Clock
}

export const runScheduleNow = (deps: Deps) =>
  route(endpoint, {
    async handle({ params, admitted: { by, workspace } }) {
      // Everybody may call the URL of an automation; this is for those who may execute it as members.
      if (by === 'everybody') throw workspaceNotFound()
      requireActive(workspace)
      const { automationSlug } = params
      const address = { workspaceId: workspace.id, automationSlug, position: positionOf(params.position) }
      const schedule = requireRunnable(await deps.schedules.find(address), address)

      const now = deps.clock.now()
      const run = runOf(schedule, now, uuidv7(now.getTime()))
      await deps.schedules.enqueue(run, triggeredEvent(run, now))
      const record = await deps.records.find(workspace.id, run.id)
      deps.wakeWorkers()
      if (record === undefined) throw runNotFound()
      return { run: describedRun(record, deps.clock.now()) }
    },
  })

function positionOf(text: string): number {
  if (/^\d{1,3}$/.test(text)) return Number(text)
  throw new Failure('RequestValidationError', 'The position of a schedule is a number, counted from 0.', {
    details: [{ path: 'position', message: 'must be a number' }],
  })
}

function requireRunnable<One extends Schedule>(schedule: One | undefined, address: ScheduleAddress): One {
  const { automationSlug, position } = address
  const slug = automationSlug.slice(0, 100)
  if (schedule === undefined) {
    throw new Failure(
      'ObjectNotFoundError',
      `There is no automation "${slug}" with a schedule at position ${position} in this workspace.`,
    )
  }
  if (!schedule.disabled) return schedule
  throw new Failure(
    'ObjectNotFoundError',
    `The automation "${slug}" is disabled: enable it to run its schedules.`,
  )
}
