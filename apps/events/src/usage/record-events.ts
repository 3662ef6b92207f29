import { appEvents, type EventRecord } from '@platform/contracts'
import { buildRecord } from '@platform/outbox'
import type { Transactions } from './usage.ts'

const metricNames: Readonly<Record<string, string>> = {
  endpoint: 'httpTransactions',
  event: 'eventTransactions',
  schedule: 'scheduleTransactions',
}

/**
 * What was counted as the native event `usage`, one for each workspace and day: figures are named as in the answer of
 * `usage`.
 */
export function recordEvents(transactions: readonly Transactions[]): EventRecord[] {
  const days = Map.groupBy(transactions, ({ workspaceId, day }) => JSON.stringify([workspaceId, day]))
  return [...days.values()].flatMap((ofDay) => {
    const [first] = ofDay
    if (first === undefined) return []
    const total = ofDay.reduce((sum, { count }) => sum + count, 0)
    const metrics = Object.fromEntries([
      ['transactions', increment(total)],
      ...ofDay.map(({ kind, count }) => [metricNames[kind] ?? kind, increment(count)]),
    ])
    const source = { workspaceId: first.workspaceId, host: { service: 'events' } }
    return [buildRecord({ type: appEvents.usage.type, payload: { day: first.day, metrics }, source })]
  })
}

const increment = (value: number) => ({ value, action: 'increment' as const })
