/** Whether a value is missing; null counts, because JSON has no undefined. */
export function isNothing(value: unknown): value is undefined | null {
  return value === undefined || value === null
}
