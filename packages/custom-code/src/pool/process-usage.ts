import { readFileSync } from 'node:fs'

/** What a process has taken so far. */
export interface ProcessUsage {
  readonly residentBytes: number
  readonly cpuMs: number
}

const PAGE_BYTES = 4096
/** The kernel counts in hundredths of a second. */
const TICK_MS = 10

/** Undefined where the system does not say, and for a process that has ended: then only the time is watched. */
export function usageOf(pid: number): ProcessUsage | undefined {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[11]) + Number(fields[12])
    return { residentBytes: Number(pages) * PAGE_BYTES, cpuMs: ticks * TICK_MS }
  } catch {
    return undefined
  }
}
