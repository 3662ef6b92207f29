import { servicesBehindGateway } from '@platform/contracts'
import { exposeReadings, type Reading } from '@platform/http'
import type { Shed } from '../admission/shed-load.ts'
import type { Instance } from './instance.ts'
import type { Instances } from './instances.ts'

interface Sources {
  instances: Instances
  shed: Shed
  openSockets: () => number
  openStreams: () => number
}

/**
 * Shows retries, who was turned away, open WebSockets, and what is known of each instance; until disposed. Read when
 * asked for.
 */
export function exposeForwarding({ instances, shed, openSockets, openStreams }: Sources): AsyncDisposable {
  const stack = new AsyncDisposableStack()
  stack.use(exposeInstances(instances))
  const retries = {
    name: 'platform_gateway_retries_total',
    help: 'Requests that were sent a second time, and those that were not because a tenth were already.',
    type: 'counter',
  } as const
  stack.use(
    exposeReadings(retries, () =>
      servicesBehindGateway.flatMap((upstream) => {
        const { spent, refused } = instances.budget(upstream)
        return [
          { labels: { upstream, outcome: 'sent' }, value: spent },
          { labels: { upstream, outcome: 'over_budget' }, value: refused },
        ]
      }),
    ),
  )
  const turnedAway = {
    name: 'platform_gateway_shed_total',
    help: 'Requests turned away because there was too much to do, by reason.',
    type: 'counter',
  } as const
  stack.use(
    exposeReadings(turnedAway, () => [
      { labels: { reason: 'event_loop' }, value: shed.eventLoop },
      { labels: { reason: 'in_flight' }, value: shed.inFlight },
    ]),
  )
  const sockets = { name: 'platform_gateway_websockets', help: 'Open WebSockets.', type: 'gauge' } as const
  stack.use(exposeReadings(sockets, () => [{ labels: {}, value: openSockets() }]))
  const streams = { name: 'platform_gateway_streams', help: 'Open event streams.', type: 'gauge' } as const
  stack.use(exposeReadings(streams, () => [{ labels: {}, value: openStreams() }]))
  return stack
}

/** Shows what the gateway knows of each instance behind it, until disposed. */
function exposeInstances(instances: Instances): AsyncDisposable {
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
    ({ pool: { stats }, streams: { stats: streams } }) => [
      { labels: { state: 'open' }, value: stats.connected + streams.connected },
      { labels: { state: 'free' }, value: stats.free + streams.free },
      { labels: { state: 'waiting' }, value: stats.queued + streams.queued },
    ],
  )
  return stack
}

function* eachInstance(instances: Instances, read: (instance: Instance) => Reading[]): Iterable<Reading> {
  for (const { upstream, instance } of instances.states())
    for (const { labels, value } of read(instance))
      yield { labels: { upstream, origin: instance.origin, ...labels }, value }
}
