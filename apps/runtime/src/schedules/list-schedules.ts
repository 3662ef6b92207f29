import { setImmediate as nextTurn } from 'node:timers/promises'
import { listSchedules as endpoint, type ScheduleRecord } from '@platform/contracts'
import { nextPage, respond, route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { ScheduleTimes } from './next-time.ts'
import { tickRunId } from './schedule.ts'
import type { KnownSchedule, ScheduleStore } from './schedule-store.ts'

interface Deps {
  readonly schedules: Pick<ScheduleStore, 'list'>
  readonly times: ScheduleTimes
  readonly clock: Clock
}

/** Next times of a schedule that are shown. */
const SHOWN = 5

export const listSchedules = (deps: Deps) =>
  route(endpoint, {
    async handle({ query, request, admitted: { workspace } }) {
      // One more than asked for tells whether there is a next page.
      const { page, limit, automation } = query
      const asked = { automation, offset: page * limit, limit: limit + 1 }
      const found = await deps.schedules.list(workspace.id, asked)

      const shown: ScheduleRecord[] = []
      for (const one of found.slice(0, limit)) {
        shown.push(presented(one, deps))
        // Each takes up to a millisecond.
        await nextTurn()
      }
      return respond(shown, { headers: found.length > limit ? { link: nextPage(request.url, page) } : {} })
    },
  })

function presented(schedule: KnownSchedule, { times, clock }: Deps): ScheduleRecord {
  const { automationSlug, position, cron, timezone, missed, lastAt, missedTicks, disabled } = schedule
  const next = disabled ? [] : times.following(schedule, clock.now(), SHOWN)
  return {
    ...{ automationSlug, position, cron, timezone, missed, missedTicks, disabled },
    next: next.map((time) => time.toISOString()),
    lastAt: lastAt?.toISOString() ?? null,
    lastRunId: lastAt === null ? null : tickRunId(schedule, lastAt),
  }
}
