import { exposeReadings } from '@platform/http'
import type { WorkerPool } from './pool/worker-pool.ts'

interface CustomCodeMetrics extends Disposable {
  counted(outcome: string): void
}

/** Numbers of the metrics page; gone when disposed. */
export function customCodeMetrics(
  pools: Readonly<Record<string, Pick<WorkerPool, 'load'>>>,
): CustomCodeMetrics {
  const calls = new Map<string, number>()
  const stack = new DisposableStack()
  const gauge = (name: `platform_${string}`, help: string, read: (load: WorkerPool['load']) => number) =>
    stack.use(
      exposeReadings({ name, help, type: 'gauge' }, () =>
        Object.entries(pools).map(([language, { load }]) => ({ labels: { language }, value: read(load) })),
      ),
    )
  gauge('platform_function_workers', 'Processes that run functions.', ({ workers }) => workers)
  gauge('platform_function_calls_under_way', 'Calls of functions that have begun.', ({ taken }) => taken)
  gauge(
    'platform_function_calls_waiting',
    'Calls of functions that wait for a process.',
    ({ waiting }) => waiting,
  )
  const definition = {
    name: 'platform_function_calls_total',
    help: 'Calls of functions by how they ended.',
    type: 'counter',
  } as const
  stack.use(
    exposeReadings(definition, () => [...calls].map(([outcome, value]) => ({ labels: { outcome }, value }))),
  )
  return {
    counted: (outcome) => void calls.set(outcome, (calls.get(outcome) ?? 0) + 1),
    [Symbol.dispose]: () => stack.dispose(),
  }
}
