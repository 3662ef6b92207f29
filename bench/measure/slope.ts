/** Samples without the first third, the warm-up: caches fill and PostgreSQL touches its shared buffers once. */
export const settled = (samples: readonly number[]): number[] => samples.slice(Math.floor(samples.length / 3))

/** How much what is settled of samples grows in a minute, taken `sampleMs` apart. */
export const growthPerMinute = (samples: readonly number[], sampleMs: number): number =>
  slope(settled(samples)) * (60_000 / sampleMs)

/** Least squares, per sample. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const over = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0)
  const under = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0)
  return over / under
}
