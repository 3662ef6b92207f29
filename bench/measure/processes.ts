import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const TICKS_PER_SECOND = 100

/** CPU seconds of a process and of its children that have ended, from /proc; 0 when it is gone. */
function cpuSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
  } catch {
    return 0
  }
}

/** True for a process of this Node; those of PostgreSQL are others. */
export const isNode = (pid: number): boolean => targetOf(`/proc/${pid}/exe`) === process.execPath

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
 * CPU seconds of all of them since `before` was taken; those that ended in between are counted by their parent's
 * children time.
 */
export function cpuMeter(pids: () => readonly number[]): () => number {
  const total = () => pids().reduce((sum, pid) => sum + cpuSeconds(pid), 0)
  const before = total()
  return () => total() - before
}

/** TCP connections over IPv4 that a process has open to a port. */
export function connectionsTo(port: number, pid: number): number {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
  const sockets = new Set(rows.filter((row) => row[2]?.endsWith(remote)).map((row) => `socket:[${row[9]}]`))
  const targets = readdirSync(`/proc/${pid}/fd`).map((name) => targetOf(`/proc/${pid}/fd/${name}`))
  return targets.filter((target) => sockets.has(target)).length
}

/** Empty for a descriptor that was closed meanwhile. */
function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}
