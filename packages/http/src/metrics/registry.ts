import { totalmem } from 'node:os'
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'

/** All metrics of the process; `/metrics` shows them. */
export const registry = new Registry()

/** What a metric shows at one scrape. */
export interface Sample {
  labels: Readonly<Record<string, string | number>>
  value: number
  /** For the parts of a histogram. */
  metricName?: string
}

/** A metric whose numbers are plain fields elsewhere: it costs nothing until it is read. */
export interface ReadMetric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  read(): Promise<Sample[]> | Sample[]
}

/** Adds a metric to the page of the process. Throws when the name is taken. */
export function showMetric(metric: ReadMetric): void {
  const { name, help, type } = metric
  const shown = {
    name,
    help,
    get: async () => ({ name, help, type, aggregator: 'sum', values: await metric.read() }),
  }
  // The registry asks a metric for nothing but its name and `get`; its type knows the vendor's own four classes only.
  registry.registerMetric(shown as unknown as Metric)
}

let isCollecting = false

/**
 * Adds what is known of the process itself: event-loop lag, heap, memory, garbage collection, CPU, open files, and
 * its version.
 */
export function collectProcessMetrics(version: string): void {
  if (isCollecting) return
  isCollecting = true
  // The lag is measured by a timer, which would wake an idle process a hundred times a second.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 20 })
  showMetric({
    name: 'platform_build_info',
    help: 'Always 1; the labels say what runs.',
    type: 'gauge',
    read: () => [{ labels: { version, node: process.version }, value: 1 }],
  })
  showMetric({
    name: 'platform_memory_limit_bytes',
    help: 'Memory the process may use: the limit of its container, else the memory of the machine.',
    type: 'gauge',
    read: () => [{ labels: {}, value: memoryLimit() }],
  })
  showMetric({
    name: 'platform_event_loop_active_seconds_total',
    help: 'Seconds the event loop was busy; its rate is the share of one core that is used up.',
    type: 'counter',
    read: () => [{ labels: {}, value: performance.eventLoopUtilization().active / 1000 }],
  })
}

/** Node answers an absurdly large number where a container has no limit. */
function memoryLimit(): number {
  const limit = process.constrainedMemory()
  return limit > 0 && limit < totalmem() ? limit : totalmem()
}
