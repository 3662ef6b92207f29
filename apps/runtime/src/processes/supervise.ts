import { ConfigError, type Env } from '@platform/config'
import { createLogger } from '@platform/logging'
import { stopOnSignals } from '@platform/service/processes'
import { readProcessSettings } from './processes-env.ts'
import { runtimeProcesses } from './runtime-processes.ts'

/** How much longer than those it started the first process may take to end. */
const LAST_MS = 2500

/**
 * Whether automations are executed in the process that was started itself: a command, no processes, or variables that
 * it can't use, which it then says together with all others.
 */
export function runsAlone(env: Env, given: readonly string[]): boolean {
  if (given.length > 0) return true
  try {
    return readProcessSettings(env).RUNTIME_PROCESSES === 0
  } catch (error) {
    if (error instanceof ConfigError) return true
    throw error
  }
}

/**
 * A small process that starts the one which executes automations, and another when it dies. It reads nothing that users
 * wrote.
 */
export async function supervise(env: Env, main: string): Promise<void> {
  const settings = readProcessSettings(env)
  const stopping = new AbortController()
  stopOnSignals(stopping, settings.SHUTDOWN_GRACE_MS + LAST_MS)
  const log = createLogger({ level: settings.LOG_LEVEL, isShared: true }).child({ service: 'runtime' })
  const group = runtimeProcesses({ main, places: [env] }, settings, log)
  const stopped = new Promise<void>((resolve) => {
    stopping.signal.addEventListener('abort', () => void group.stop().then(resolve))
  })
  // It has said itself why it could not start.
  await group.start().catch(() => {
    process.exitCode = 1
    stopping.abort()
  })
  await stopped
}
