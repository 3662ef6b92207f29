import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Command line of a process; empty when it is gone. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\u0000', ' ')
  } catch {
    return ''
  }
}

/** The variables a process was started with; none when it is gone. */
export function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\u0000')
  } catch {
    return []
  }
}

export const isAlive = (pid: number): boolean => commandOf(pid) !== ''

/** The processes that work in a directory, as all of a PostgreSQL do in its data. */
export const workingIn = (directory: string): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && directoryOf(pid) === directory)

function directoryOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}
