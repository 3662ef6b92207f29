const EVERY_MS = 1000

/** What the limits of tests were set with: a fixed piece of work, and what it takes there while nothing else runs. */
const WORK = JSON.stringify(
  Array.from({ length: 1000 }, (_, n) => ({ n, name: `name ${n}`, list: [n, n / 2, true] })),
)
const ROUNDS = 90
const USUAL_MS = 40

/**
 * Watches how much longer the machine takes for the same work than the one on which the limits were set: because its
 * cores are slower, or others use them as well. Answers what held for three quarters of the time, so that a short stop
 * of all counts for nothing; never less than 1.
 */
export function watchSlowness() {
  const seen = []
  const timer = setInterval(() => seen.push(look()), EVERY_MS)
  return () => {
    clearInterval(timer)
    const sorted = seen.toSorted((one, other) => one - other)
    return Math.max(1, sorted[Math.floor(sorted.length / 4)] ?? 1)
  }
}

function look() {
  const startedAt = performance.now()
  for (let round = 0; round < ROUNDS; round += 1) JSON.parse(WORK)
  return (performance.now() - startedAt) / USUAL_MS
}
