import { exposeReadings } from '@platform/http'
import type { FairPlaces } from '@platform/kernel'
import type { StreamPlaces } from './stream-places.ts'

/** How an attempt ended, for the metrics page. */
export type FetchOutcome = '2xx' | '3xx' | '4xx' | '5xx' | 'failed'

export interface FetchMetrics extends Disposable {
  counted(outcome: FetchOutcome): void
}

/** Numbers of the metrics page; gone when disposed. */
export function fetchMetrics(
  places: Pick<FairPlaces, 'load'>,
  streams: Pick<StreamPlaces, 'taken'>,
): FetchMetrics {
  const attempts = new Map<FetchOutcome, number>()
  const stack = new DisposableStack()
  const gauge = (name: `platform_${string}`, help: string, read: () => number) =>
    stack.use(exposeReadings({ name, help, type: 'gauge' }, () => [{ labels: {}, value: read() }]))
  gauge(
    'platform_fetches_under_way',
    'Calls of automations that wait for an answer.',
    () => places.load.taken,
  )
  gauge('platform_fetches_waiting', 'Calls that wait until others have ended.', () => places.load.waiting)
  gauge('platform_fetch_streams_open', 'Answers that automations read while they come.', () => streams.taken)
  const definition = {
    name: 'platform_fetch_attempts_total',
    help: 'Attempts of calls by how they ended.',
    type: 'counter',
  } as const
  stack.use(
    exposeReadings(definition, () =>
      [...attempts].map(([outcome, value]) => ({ labels: { outcome }, value })),
    ),
  )
  return {
    counted: (outcome) => void attempts.set(outcome, (attempts.get(outcome) ?? 0) + 1),
    [Symbol.dispose]: () => stack.dispose(),
  }
}
