import type { ModuleError, ReadinessReport, ServiceEntry, ServiceReport } from '@platform/contracts'
import { Failure } from '@platform/kernel'

/** What the gateway learnt of a service behind it. */
export type Outcome = { url: string; report: ServiceReport } | { url: string; error: ModuleError }

/**
 * The names of `?services=` in the order of the report; all without it. Throws RequestValidationError for a name that
 * is none.
 */
export function requestedServices(text: string | undefined, known: readonly string[]): string[] {
  if (text === undefined) return [...known]
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return known.filter((name) => names.includes(name))
  throw new Failure(
    'RequestValidationError',
    `query.services: "${unknown.slice(0, 50)}" is none of ${known.join(', ')}.`,
    {
      details: [{ path: 'query.services', message: `must be some of ${known.join(', ')}` }],
    },
  )
}

/** The gateway's own entry: its modules, without an address. */
export const gatewayEntry = (report: ServiceReport): ServiceEntry => report

/** The entry of a service behind the gateway: its address and its own report. */
export function serviceEntry(outcome: Outcome): ServiceEntry {
  const { url } = outcome
  if ('error' in outcome) return { status: 'error', url, errors: [outcome.error] }
  const { report } = outcome
  return {
    status: report.status,
    url,
    response: report,
    ...(report.errors === undefined ? {} : { errors: report.errors }),
  }
}

/** Ready when every entry is. */
export function reportOf(services: Record<string, ServiceEntry>): ReadinessReport {
  const isReady = Object.values(services).every((entry) => entry.status === 'ready')
  return { status: isReady ? 'ready' : 'error', services }
}
