/** Whether this is the long run before a release: scripts/nightly/all.sh. */
const isNightly = process.env.NIGHTLY === '1'

/** All cases of a matrix in the long run, else about so many of them: evenly spread, and the same each time. */
export function sample<T>(cases: readonly T[], count: number): readonly T[] {
  const step = isNightly ? 1 : Math.max(1, Math.floor(cases.length / count))
  return cases.filter((_, index) => index % step === 0)
}

/** How often a test repeats what it proves: `nightly` times in the long run. */
export const rounds = (everyTime: number, nightly: number): number => (isNightly ? nightly : everyTime)
