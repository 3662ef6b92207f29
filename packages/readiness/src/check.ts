import type { ModuleError, ReadyModule, ServiceReport } from '@platform/contracts'
import { moduleErrorName } from './error-name.ts'
import { safeMessage } from './safe-message.ts'

/** One line of a service's checks: rejects when the module can't do its work. */
export interface Check {
  module: string
  /** What really runs: postgres, redis, nats, memory, http, service … */
  driver: string
  probe: (signal: AbortSignal) => Promise<unknown>
}

/** Longest a probe may take (decisions C13). */
export const PROBE_TIMEOUT_MS = 2000

/** Runs every check in parallel, 2 s each, and tells what is ready and what is not. Never rejects. */
export async function runChecks(
  checks: readonly Check[],
  timeoutMs: number = PROBE_TIMEOUT_MS,
): Promise<ServiceReport> {
  const results = await Promise.all(checks.map((check) => runCheck(check, timeoutMs)))
  const modulesReady = results.filter((result): result is ReadyModule => !('error' in result))
  const errors = results.filter((result): result is ModuleError => 'error' in result)
  return errors.length === 0 ? { status: 'ready', modulesReady } : { status: 'error', modulesReady, errors }
}

async function runCheck(
  { module, driver, probe }: Check,
  timeoutMs: number,
): Promise<ReadyModule | ModuleError> {
  const deadline = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new ProbeTimeout(timeoutMs)
      reject(error)
      deadline.abort(error)
    }, timeoutMs)
  })
  // The inner function turns a probe that throws at once into one that rejects; the race also hears those that reject late.
  const probed = (async () => probe(deadline.signal))()
  try {
    await Promise.race([late, probed])
    return { module, driver }
  } catch (error) {
    return { error: moduleErrorName(error), module, driver, message: safeMessage(error) }
  } finally {
    clearTimeout(timer)
  }
}

/** A probe that didn't answer in time. */
export class ProbeTimeout extends Error {
  override readonly name = 'ProbeTimeout'

  constructor(timeoutMs: number) {
    super(`No answer within ${timeoutMs} ms.`)
  }
}
