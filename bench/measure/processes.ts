import { readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** CPU seconds a process has used, from /proc; 0 when it is gone. */
function cpuSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  } catch {
    return 0
  }
}

/** Memory in MB as the sum of PSS: shared pages count once. */
export function pssMegabytes(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
    } catch {
      return 0
    }
  })
  return kilobytes.reduce((sum, value) => sum + value, 0) / 1024
}

/**
 * CPU seconds of all of them since `before` was taken; backends that ended in between are counted by their parent's
 * children time.
 */
export function cpuMeter(pids: () => readonly number[]): () => number {
  const before = new Map(pids().map((pid) => [pid, cpuSeconds(pid)]))
  return () => pids().reduce((sum, pid) => sum + cpuSeconds(pid) - (before.get(pid) ?? 0), 0)
}
