import { superAdmin } from '@platform/auth'
import { getReadiness as endpoint, type ServiceEntry, type ServiceReport } from '@platform/contracts'
import { answer, route } from '@platform/http'
import {
  gatewayEntry,
  type Outcome,
  type ReportedService,
  reportOf,
  requestedServices,
  serviceEntry,
} from './readiness.ts'

/** Reports, each made once per cache period however many ask. */
export interface ReadinessSources {
  gateway: () => Promise<ServiceReport>
  services: Record<Exclude<ReportedService, 'api-gateway'>, () => Promise<Outcome>>
}

export const getReadiness = (sources: ReadinessSources) =>
  route(endpoint, {
    access: superAdmin,
    async handle({ query }) {
      const names = requestedServices(query.services)

      const entries = await Promise.all(
        names.map(async (name) => [name, await entryOf(sources, name)] as const),
      )
      const report = reportOf(Object.fromEntries(entries))

      return answer(report, {
        status: report.status === 'ready' ? 200 : 400,
        headers: { 'cache-control': 'no-store' },
      })
    },
  })

const entryOf = async (sources: ReadinessSources, name: ReportedService): Promise<ServiceEntry> =>
  name === 'api-gateway'
    ? gatewayEntry(await sources.gateway())
    : serviceEntry(await sources.services[name]())
