const EVERY_MS = 1000
/** Longer than what the system gives to who has waited: that is no measure of what others get. */
const COMPUTED_MS = 40

/**
 * Watches how much longer the machine takes for what it is asked to compute than this needs of a core: 1 where nothing
 * else waits for one. Answers what held for three quarters of the time, so that a short stop of all counts for nothing.
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
  const end = computedMs() + COMPUTED_MS
  while (computedMs() < end);
  return (performance.now() - startedAt) / COMPUTED_MS
}

function computedMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
