import { workspaceUsage as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { DAY_MS, Failure } from '@platform/kernel'
import type { UsageCounter } from './count-usage.ts'
import { usageResponse } from './usage-response.ts'
import type { Days, UsageStore } from './usage-store.ts'

const DAYS_MAX = 1100

/** What a workspace used, by whole days in UTC. */
export const workspaceUsage = (deps: { usage: UsageStore; counter: UsageCounter }) =>
  route(endpoint, {
    async handle({ query, admitted: { workspace } }) {
      const { interval, details } = query
      const after = new Date(query.afterDate)
      const before = new Date(query.beforeDate)
      const days = daysBetween(after, before)

      await deps.counter.catchUp()
      const by = interval ?? 'month'
      const [transactions, visitors, metrics] = await Promise.all([
        deps.usage.transactions(workspace.id, days, by),
        deps.usage.visitors(workspace.id, days, by),
        deps.usage.metrics(workspace.id, days),
      ])

      return {
        workspaceId: workspace.id,
        afterDate: after.toISOString(),
        beforeDate: before.toISOString(),
        ...(interval === undefined ? {} : { interval }),
        ...usageResponse({ transactions, visitors, metrics }, { interval, details }),
      }
    },
  })

/**
 * The days that count: the one of the first instant, up to the one of the last, which counts unless it is its
 * midnight.
 */
function daysBetween(after: Date, before: Date): Days {
  if (after >= before) throw refusal('beforeDate must be after afterDate.')
  if (before.getTime() - after.getTime() > DAYS_MAX * DAY_MS)
    throw refusal(`beforeDate must be at most ${DAYS_MAX} days after afterDate: ask for shorter spans.`)
  const until = new Date(Math.ceil(before.getTime() / DAY_MS) * DAY_MS)
  return { from: after.toISOString().slice(0, 10), until: until.toISOString().slice(0, 10) }
}

const refusal = (message: string) =>
  new Failure('RequestValidationError', message, { details: [{ path: 'query.beforeDate', message }] })
