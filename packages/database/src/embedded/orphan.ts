import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { EmbeddedStartError } from './embedded-start-error.ts'
import { isAlive, processesIn, signal, waitUntil } from './processes.ts'

/**
 * Ends a PostgreSQL whose platform was killed and could not stop it. Called by the owner of the directory's lock, so
 * no live platform owns what is found here.
 */
export async function endOrphan(files: string): Promise<void> {
  const pid = postmasterPid(files)
  const running = () => processesIn(files)
  if (pid !== undefined && running().includes(pid))
    await stopPostmaster(files, pid, () => !running().includes(pid))
  // Its children notice within moments that it is gone.
  if (!(await waitUntil(() => running().length === 0, 5000))) {
    const left = running().join(', ')
    throw new EmbeddedStartError(
      `A PostgreSQL left over from before still works in ${files} (pid ${left}) and does not end; ` +
        'end it and start again.',
    )
  }
  // PostgreSQL refuses to start when the pid in this file lives, even if it belongs to another program by now.
  if (pid !== undefined && process.platform === 'linux' && isAlive(pid))
    rmSync(join(files, 'postmaster.pid'), { force: true })
}

/** Fast shutdown first; then without a checkpoint; then none at all: a new start recovers from any of them. */
export async function stopPostmaster(files: string, pid: number, isGone: () => boolean): Promise<void> {
  const steps = [
    ['SIGINT', 5000],
    ['SIGQUIT', 3000],
    ['SIGKILL', 2000],
  ] as const
  for (const [name, waitMs] of steps) {
    signal(pid, name)
    // A stopped process doesn't see a signal before it goes on, and the postmaster waits for its children.
    for (const each of processesIn(files)) signal(each, 'SIGCONT')
    if (await waitUntil(isGone, waitMs)) return
  }
}

function postmasterPid(files: string): number | undefined {
  const pid = Number(readPidFile(files)[0])
  return Number.isInteger(pid) && pid > 0 ? pid : undefined
}

/** True once the postmaster `pid` accepts connections: it writes so into its pid file. */
export function isReady(files: string, pid: number): boolean {
  const lines = readPidFile(files)
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
}

function readPidFile(files: string): string[] {
  try {
    return readFileSync(join(files, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}
