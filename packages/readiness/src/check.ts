import type { ModuleError, ModuleWarning, ReadyModule, ServiceReport } from '@platform/contracts'

/** One line of a service's checks: rejects when the module can't do its work. */
export interface Check {
  module: string
  /** What really runs: postgres, redis, nats, memory, http, service … */
  driver: string
  probe: (signal: AbortSignal) => Promise<unknown>
  /** What an operator should look at though the module is ready; asked after a probe that resolved. */
  warnings?: (signal: AbortSignal) => Promise<readonly string[]>
}

/** Longest a probe may take. */
export const PROBE_TIMEOUT_MS = 2000

/** Runs every check in parallel, 2 s each, and reports what is ready and what is not. Never rejects. */
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
  // A module whose warnings can't be asked for is ready all the same.
  const found = warnings === undefined ? [] : await withinTime(warnings, timeoutMs).catch(() => [])
  return { ready, warnings: found.map((message) => ({ ...ready, message })) }
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
  // The inner function turns a probe that throws at once into one that rejects; the race also handles those that reject
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

/**
 * The names `errors[].error` may have (docs/operations.md): programs and alerts compare them, so there are no others.
 */
export const moduleErrorNames = [
  'DatabaseError',
  'CacheError',
  'BrokerError',
  'SearchError',
  'FilesError',
  'ServiceUnavailable',
  'ProbeTimeout',
  'ProbeError',
] as const

type ModuleErrorName = (typeof moduleErrorNames)[number]

const known: ReadonlySet<string> = new Set(moduleErrorNames)

/** Whatever a probe threw, by one of the names above; a mistake of our own is a `ProbeError`. */
function moduleErrorName(error: unknown): ModuleErrorName {
  if (!(error instanceof Error)) return 'ProbeError'
  if (isKnown(error.name)) return error.name
  return error.name === 'UnreachableError' ? 'ServiceUnavailable' : 'ProbeError'
}

const isKnown = (name: string): name is ModuleErrorName => known.has(name)

const LONGEST = 500

/** What is taken out of a message, in this order. */
const secrets: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Everything before the last @ of an address: a password may have an @ of its own.
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)\S*@/gi, '$1'],
  [/\b(password|passwd|pwd|secret|token|api[-_]?key)(["']?\s*[=:]\s*)("[^"]*"|'[^']*'|\S+)/gi, '$1$2***'],
  [/\b(?:bearer|basic)\s+[\w.~+/=-]+/gi, '***'],
  [/\beyJ[\w-]+\.[\w.-]+/g, '***'],
  [/\b(?:select\s.+?\sfrom|insert\s+into|update\s+\S+\s+set|delete\s+from)\s.*/gis, '[statement]'],
]

/**
 * The message of an error as operators may see it: one line, no credential, no SQL, no stack, never endless.
 */
export function safeMessage(error: unknown): string {
  const whole = error instanceof Error ? error.message.slice(0, 4 * LONGEST) : ''
  const scrubbed = secrets.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), whole)
  const [line = ''] = scrubbed.split(/\r?\n/, 1)
  return line.trim() === '' ? 'The probe failed.' : line.slice(0, LONGEST)
}
