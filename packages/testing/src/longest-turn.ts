/** Rarely enough to cost nothing, often enough that hardly two turns are counted as one. */
const BETWEEN_LOOKS_MS = 1

/**
 * How long others of this thread wait at most while something is done: the longest that it computes at a stretch, in
 * milliseconds of its own. What else the machine does meanwhile is not counted.
 */
export async function longestTurn<T>(work: () => Promise<T>): Promise<{ result: T; longestMs: number }> {
  let longestMs = 0
  let last = process.threadCpuUsage()
  const look = () => {
    const now = process.threadCpuUsage()
    longestMs = Math.max(longestMs, (now.user + now.system - last.user - last.system) / 1000)
    last = now
  }
  const looking = setInterval(look, BETWEEN_LOOKS_MS)
  try {
    const result = await work()
    look()
    return { result, longestMs }
  } finally {
    clearInterval(looking)
  }
}
