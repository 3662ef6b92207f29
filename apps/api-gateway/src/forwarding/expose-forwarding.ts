import { exposeReadings } from '@platform/http'
import type { Shed } from '../shedding/shed-load.ts'
import { exposeInstances } from './instance-metrics.ts'
import type { Instances } from './instances.ts'
import { upstreams } from './route-table.ts'

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
      upstreams.flatMap((upstream) => {
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
