import { chmodSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@platform/service'

/** Ports nobody listens on right now, and that no outgoing connection is lent before somebody does. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = await freePort(0, '127.0.0.1')
    if (port === 0) throw new Error('This machine has no free port to listen on.')
    ports.add(port)
  }
  return [...ports]
}

/**
 * A new directory for the data of a platform under test. Others may pass through it: under root PostgreSQL runs as
 * "nobody", and would keep its data below /var/lib instead, where no test removes it.
 */
export function freshDirectory(prefix: string, within = tmpdir()): string {
  const directory = mkdtempSync(join(within, prefix))
  chmodSync(directory, 0o711)
  return directory
}

/** Pids of these processes and of everything they started, also what took a session of its own, such as PostgreSQL. */
export function processTree(...roots: number[]): number[] {
  const children = new Map<number, number[]>()
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = parentOf(entry)
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(entry)])
  }
  const walk = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap(walk)]
  return roots.flatMap(walk)
}

function parentOf(entry: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}
