import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** True while a process with this id exists, also one of another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** When a process started, in ticks since boot: with its id it names one process for good. Undefined without /proc. */
export function startTimeOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the name in brackets and may hold spaces; the start time is the 20th after it.
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

/** The processes that work in a directory: every process of a PostgreSQL sits in its data directory. */
export function processesIn(directory: string): number[] {
  return listProcesses().filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === directory
    } catch {
      return false
    }
  })
}

function listProcesses(): number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0)
  } catch {
    return []
  }
}

/** Sends a signal to a process that may be gone. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // Gone already.
  }
}

/** Waits until `isDone`, but not longer than `milliseconds`; returns whether it is. */
export async function waitUntil(isDone: () => boolean, milliseconds: number, everyMs = 10): Promise<boolean> {
  const giveUpAt = performance.now() + milliseconds
  while (!isDone()) {
    if (performance.now() > giveUpAt) return false
    await pause(everyMs)
  }
  return true
}
