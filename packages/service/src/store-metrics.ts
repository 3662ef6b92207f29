import { countDeadLetters, readLags } from '@platform/broker'
import type { Database } from '@platform/database'
import { exposeReadings, type Reading } from '@platform/http'

/** Looks at the log of events are this far apart, however often somebody scrapes. */
const LAG_EVERY_MS = 5000

/** Shows the connections of a database handle and what its statements took, until disposed. */
export function exposeDatabase(database: Database): Disposable {
  const stack = new DisposableStack()
  const gauge = (state: 'active' | 'idle' | 'waiting' | 'max', value: number): Reading => ({
    labels: { state },
    value,
  })
  stack.use(
    exposeReadings(
      {
        name: 'platform_database_connections',
        help: 'Connections of the pool that work or are idle, the most there may be, and statements that wait for one.',
        type: 'gauge',
      },
      () => {
        const { active, idle, waiting, max } = database.load()
        return [gauge('active', active), gauge('idle', idle), gauge('waiting', waiting), gauge('max', max)]
      },
    ),
  )
  const counter = (name: `platform_${string}`, help: string, read: () => number) =>
    stack.use(exposeReadings({ name, help, type: 'counter' }, () => [{ labels: {}, value: read() }]))
  counter(
    'platform_database_calls_total',
    'Statements and transactions that were asked for.',
    () => database.load().calls,
  )
  counter('platform_database_failures_total', 'Those that failed.', () => database.load().failures)
  counter(
    'platform_database_seconds_total',
    'Seconds they took together, waiting for a connection included.',
    () => database.load().seconds,
  )
  return stack
}

/** Shows how far each reader of the log of events is behind and what it has given up, until disposed. */
export function exposeLag(database: Database): Disposable {
  const stack = new DisposableStack()
  stack.use(
    exposeReadings(
      {
        name: 'platform_events_oldest_unhandled_seconds',
        help:
          'Age of the oldest event a reader has yet to handle; the relay hands the outbox to the broker. ' +
          '0 when it has all.',
        type: 'gauge',
      },
      nowAndThen(async () => {
        const lags = await readLags(database)
        return lags.map(({ group, ageMs }) => ({ labels: { reader: group }, value: ageMs / 1000 }))
      }),
    ),
  )
  stack.use(
    exposeReadings(
      {
        name: 'platform_events_dead_letters',
        help: 'Events a reader has given up that nobody has asked for again.',
        type: 'gauge',
      },
      nowAndThen(async () => {
        const counts = await countDeadLetters(database)
        return counts.map(({ group, letters }) => ({ labels: { reader: group }, value: letters }))
      }),
    ),
  )
  return stack
}

/** Looks when somebody asks, but no more often than that. */
function nowAndThen(look: () => Promise<Reading[]>): () => Promise<Reading[]> {
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<Reading[]> = Promise.resolve([])
  return () => {
    if (performance.now() - lookedAt >= LAG_EVERY_MS) {
      lookedAt = performance.now()
      looking = look()
    }
    return looking
  }
}
