import { availableParallelism, loadavg } from 'node:os'

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
export function watchSlowness(): () => number {
  const seen: number[] = []
  const timer = setInterval(() => seen.push(fixedWork().passedMs / USUAL_MS), EVERY_MS)
  timer.unref()
  return () => {
    clearInterval(timer)
    const sorted = seen.toSorted((one, other) => one - other)
    return Math.max(1, sorted[Math.floor(sorted.length / 4)] ?? 1)
  }
}

const MOST = 5

/**
 * How much longer than there something takes that has just ended: by how fast a core computes, and by how many wanted
 * each core during the last minute. Never less than 1, and never so much that a limit says nothing any more.
 */
export function slownessNow(): number {
  const cores = Math.max(1, fixedWork().computedMs / USUAL_MS)
  const wanted = Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())
  return Math.min(MOST, cores * wanted)
}

function fixedWork(): { passedMs: number; computedMs: number } {
  const startedAt = performance.now()
  const before = process.threadCpuUsage()
  for (let round = 0; round < ROUNDS; round += 1) JSON.parse(WORK)
  const { user, system } = process.threadCpuUsage(before)
  return { passedMs: performance.now() - startedAt, computedMs: (user + system) / 1000 }
}
