import { readFileSync } from 'node:fs'

/** Command line of a process; empty when it is gone. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\u0000', ' ')
  } catch {
    return ''
  }
}

export const isAlive = (pid: number): boolean => commandOf(pid) !== ''
