import type { ModuleError, ModuleWarning, ReadyModule, ServiceReport } from '@platform/contracts'
import { moduleErrorName } from './error-name.ts'
import { safeMessage } from './safe-message.ts'

/** One line of a service's checks: rejects when the module can't do its work. */
export interface Check {
  module: string
  /** What really runs: postgres, redis, nats, memory, http, service … */
  driver: string
  probe: (signal: AbortSignal) => Promise<unknown>
  /** What an operator should look at though the module is ready; asked after a probe that resolved. */
  warnings?: (signal: AbortSignal) => Promise<readonly string[]>
}

/** Longest a probe may take (decisions C13). */
export const PROBE_TIMEOUT_MS = 2000

/** Runs every check in parallel, 2 s each, and tells what is ready and what is not. Never rejects. */
export async function runChecks(
  checks: readonly Check[],
  timeoutMs: number = PROBE_TIMEOUT_MS,
): Promise<ServiceReport> {
  const results = await Promise.all(checks.map((check) => runCheck(check, timeoutMs)))
  const modulesReady = results.flatMap(({ ready }) => ready ?? [])
  const errors = results.flatMap(({ error }) => error ?? [])
  const warnings = results.flatMap((result) => result.warnings ?? [])
  return {
    status: errors.length === 0 ? 'ready' : 'error',
    modulesReady,
    ...(errors.length === 0 ? {} : { errors }),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
}

interface CheckResult {
  ready?: ReadyModule
  error?: ModuleError
  warnings?: ModuleWarning[]
}

async function runCheck({ module, driver, probe, warnings }: Check, timeoutMs: number): Promise<CheckResult> {
  const ready = { module, driver }
  try {
    await withinTime(probe, timeoutMs)
  } catch (error) {
    return { error: { error: moduleErrorName(error), module, driver, message: safeMessage(error) } }
  }
  // A module that can't tell what to look at is ready all the same.
  const told = warnings === undefined ? [] : await withinTime(warnings, timeoutMs).catch(() => [])
  return { ready, warnings: told.map((message) => ({ ...ready, message })) }
}

async function withinTime<T>(ask: (signal: AbortSignal) => Promise<T>, timeoutMs: number): Promise<T> {
  const deadline = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new ProbeTimeout(timeoutMs)
      reject(error)
      deadline.abort(error)
    }, timeoutMs)
  })
  // The inner function turns a probe that throws at once into one that rejects; the race also hears those that reject
  // late.
  const asked = (async () => ask(deadline.signal))()
  try {
    return await Promise.race([late, asked])
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
