import { exposeReadings, type Reading } from '@platform/http'
import type { Instance } from './instance.ts'
import type { Instances } from './instances.ts'

/** Shows what the gateway knows of each instance behind it, until disposed. */
export function exposeInstances(instances: Instances): AsyncDisposable {
  const stack = new AsyncDisposableStack()
  const show = (
    name: `platform_upstream_${string}`,
    type: 'gauge' | 'counter',
    help: string,
    read: (instance: Instance) => Reading[],
  ) => stack.use(exposeReadings({ name, type, help }, () => eachInstance(instances, read)))
  const one = (value: number): Reading[] => [{ labels: {}, value }]

  show('platform_upstream_outstanding', 'gauge', 'Requests an instance has yet to finish.', (instance) =>
    one(instance.outstanding),
  )
  show(
    'platform_upstream_good',
    'gauge',
    '1 while nothing speaks against sending a request there.',
    (instance) => one(instance.isGood ? 1 : 0),
  )
  show('platform_upstream_breaker_open', 'gauge', '1 while the breaker of an instance is open.', (instance) =>
    one(instance.breaker.isOpen ? 1 : 0),
  )
  show(
    'platform_upstream_breaker_opened_total',
    'counter',
    'How often the breaker of an instance has opened.',
    (instance) => one(instance.breaker.opened),
  )
  show(
    'platform_upstream_connections',
    'gauge',
    'Connections to an instance, those of them that are free, and requests that wait for one.',
    ({ pool: { stats } }) => [
      { labels: { state: 'open' }, value: stats.connected },
      { labels: { state: 'free' }, value: stats.free },
      { labels: { state: 'waiting' }, value: stats.queued },
    ],
  )
  return stack
}

function* eachInstance(instances: Instances, read: (instance: Instance) => Reading[]): Iterable<Reading> {
  for (const { upstream, instance } of instances.states())
    for (const { labels, value } of read(instance))
      yield { labels: { upstream, origin: instance.origin, ...labels }, value }
}
