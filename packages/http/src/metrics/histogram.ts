import type { Sample } from './registry.ts'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10, 30, 60]

/** Durations in seconds, counted in buckets. Observing is two additions. */
export class Durations {
  /** How many fell into each bucket and none below; the last one takes what is longer than all. */
  readonly #counts = new Float64Array(SECONDS.length + 1)
  #sum = 0

  observe(seconds: number): void {
    let bucket = 0
    while (bucket < SECONDS.length && seconds > (SECONDS[bucket] as number)) bucket += 1
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    this.#sum += seconds
  }

  /** The lines of a Prometheus histogram: each bucket with all below it, the sum, the count. */
  samples(name: string, labels: Sample['labels']): Sample[] {
    let total = 0
    const buckets = [...this.#counts].map((count, index) => {
      total += count
      return {
        metricName: `${name}_bucket`,
        labels: { ...labels, le: SECONDS[index] ?? '+Inf' },
        value: total,
      }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: total },
    ]
  }
}
