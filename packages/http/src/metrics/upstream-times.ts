import { Durations } from './histogram.ts'
import { showMetric } from './registry.ts'

const upstreams = new Map<string, Durations>()
const NAME = 'platform_upstream_first_byte_seconds'

/**
 * Where the seconds until a service behind the gateway began its answer are counted. One object an upstream, for
 * ever.
 */
export function firstByteTimes(upstream: string): Durations {
  const known = upstreams.get(upstream)
  if (known !== undefined) return known
  const durations = new Durations()
  upstreams.set(upstream, durations)
  return durations
}

showMetric({
  name: NAME,
  help: 'Seconds from sending a request to a service until its answer began.',
  type: 'histogram',
  read: () => [...upstreams].flatMap(([upstream, durations]) => durations.samples(NAME, { upstream })),
})
