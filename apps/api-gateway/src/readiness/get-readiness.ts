import { getReadiness as endpoint, type ServiceEntry } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { reportOf, requestedServices } from './readiness.ts'

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
