import type { AppUsageMetrics, UsageMetrics, WorkspaceUsage } from '@platform/contracts'
import { figureOf, type MetricOfDay } from './usage.ts'
import type { CountRow } from './usage-store.ts'

/** What was found of a workspace's usage. */
export interface FoundUsage {
  transactions: readonly CountRow[]
  visitors: readonly CountRow[]
  metrics: readonly MetricOfDay[]
}

/** The part of the answer that is computed from what was found. */
export function usageResponse(
  found: FoundUsage,
  { interval, details }: { interval: 'day' | 'month' | undefined; details: boolean },
): Pick<WorkspaceUsage, 'total' | 'timeseries' | 'apps'> {
  const total = metricsOf(found, null)
  const apps = appsOf(found.metrics, details)
  if (interval === undefined) return { total, apps }
  const spanOf = (day: string) => (interval === 'day' ? day : `${day.slice(0, 7)}-01`)
  const dates = new Set([
    ...found.transactions.flatMap(({ date }) => date ?? []),
    ...found.metrics.map(({ day }) => spanOf(day)),
  ])
  const timeseries = [...dates].sort().map((date) => ({
    date: `${date}T00:00:00.000Z`,
    total: metricsOf(found, date),
    apps: appsOf(
      found.metrics.filter(({ day }) => spanOf(day) === date),
      details,
    ),
  }))
  return { total, timeseries, apps }
}

function metricsOf({ transactions, visitors }: FoundUsage, date: string | null): UsageMetrics {
  const count = (rows: readonly CountRow[], kind: string) =>
    rows.find((row) => row.date === date && row.kind === kind)?.count ?? 0
  const httpTransactions = count(transactions, 'endpoint')
  const eventTransactions = count(transactions, 'event')
  const scheduleTransactions = count(transactions, 'schedule')
  return {
    transactions: httpTransactions + eventTransactions + scheduleTransactions,
    httpTransactions,
    eventTransactions,
    scheduleTransactions,
    sessions: count(visitors, 'session'),
    users: count(visitors, 'user'),
  }
}

/** The figures of each app: the sum of those of its instances. */
function appsOf(metrics: readonly MetricOfDay[], details: boolean): AppUsageMetrics[] {
  return [...Map.groupBy(metrics, ({ app }) => app)].map(([slug, ofApp]) => {
    const appInstances = [...Map.groupBy(ofApp, ({ instance }) => instance)].map(([name, ofInstance]) => ({
      slug: name,
      total: { custom: figuresOf(ofInstance) },
    }))
    // A map: a metric may be called like what every object has, for example constructor.
    const custom = new Map<string, number>()
    for (const { total } of appInstances)
      for (const [name, figure] of Object.entries(total.custom))
        custom.set(name, (custom.get(name) ?? 0) + figure)
    return { slug, total: { custom: Object.fromEntries(custom) }, ...(details ? { appInstances } : {}) }
  })
}

/** Metrics of one instance arrive in the order of their days. */
const figuresOf = (metrics: readonly MetricOfDay[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(metrics, ({ metric }) => metric)].map(([metric, days]) => [metric, figureOf(days)]),
  )
