import { getReadiness as endpoint, type ReadinessReport, type ServiceEntry } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { Failure } from '@platform/kernel'

/** The entries of the report by service, in its order; each is made once per cache period however many ask. */
export type ReadinessSources = ReadonlyMap<string, () => Promise<ServiceEntry>>

export const getReadiness = (sources: ReadinessSources) =>
  route(endpoint, {
    async handle({ query }) {
      const names = requestedServices(query.services, [...sources.keys()])

      const asked = Array.from(sources).filter(([name]) => names.includes(name))
      const entries = await Promise.all(asked.map(async ([name, entry]) => [name, await entry()] as const))
      const report = reportOf(Object.fromEntries(entries))

      return respond(report, {
        status: report.status === 'ready' ? 200 : 400,
        headers: { 'cache-control': 'no-store' },
      })
    },
  })

/**
 * The names of `?services=` in the order of the report; all without it. Throws RequestValidationError for a name that
 * is none.
 */
function requestedServices(text: string | undefined, known: readonly string[]): string[] {
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

/** Ready when every entry is. */
function reportOf(services: Record<string, ServiceEntry>): ReadinessReport {
  const isReady = Object.values(services).every((entry) => entry.status === 'ready')
  return { status: isReady ? 'ready' : 'error', services }
}
