/** Least squares, per sample. */
export function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const over = values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0)
  const under = values.reduce((sum, _, index) => sum + (index - middle) ** 2, 0)
  return over / under
}
