import { Counter, Histogram, Registry } from 'prom-client'

/** All metrics of the process; `/metrics` shows them. */
export const registry = new Registry()

const requests = new Counter({
  name: 'platform_http_requests_total',
  help: 'Requests answered, by service, route, status and kind of caller.',
  labelNames: ['service', 'route', 'status', 'principal'] as const,
  registers: [registry],
})

const durations = new Histogram({
  name: 'platform_http_request_duration_seconds',
  help: 'Seconds from the first byte of a request to the last of its answer.',
  labelNames: ['service', 'route'] as const,
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  registers: [registry],
})

type Labels = { service: string; route: string; status: string; principal: string }
const counters = new Map<string, { count: () => void; observe: (seconds: number) => void }>()

/** Counts an answered request. Children of a label set are made once: looking them up by object is the costly part. */
export function countRequest(labels: Labels, seconds: number): void {
  const key = `${labels.service} ${labels.route} ${labels.status} ${labels.principal}`
  let child = counters.get(key)
  if (child === undefined) {
    const histogram = durations.labels(labels.service, labels.route)
    const counter = requests.labels(labels.service, labels.route, labels.status, labels.principal)
    child = { count: () => counter.inc(), observe: (value) => histogram.observe(value) }
    counters.set(key, child)
  }
  child.count()
  child.observe(seconds)
}
