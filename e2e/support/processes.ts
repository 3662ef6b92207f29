import { readdirSync, readFileSync } from 'node:fs'

/** Pids of a process and of everything below it. */
export function processTree(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = parentOf(entry)
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(entry)])
  }
  const walk = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap(walk)]
  return walk(root)
}

function parentOf(entry: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

/** Command line of a process; empty when it is gone. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\u0000', ' ')
  } catch {
    return ''
  }
}

export const isAlive = (pid: number): boolean => commandOf(pid) !== ''
