import {
  getServiceReadiness,
  type ModuleError,
  headers as names,
  type ServiceEntry,
  ServiceReport,
} from '@platform/contracts'
import { type Clock, Failure } from '@platform/kernel'
import { cachedFor } from '@platform/readiness'
import { createClient, reach } from '@platform/service-client'

/** Longer than the service's own probes, shorter than the 3 s a caller of readiness waits. */
const TIMEOUT_MS = 2500

/** What the gateway learnt of a service behind it. */
type Outcome = { url: string; report: ServiceReport } | { url: string; error: ModuleError }

/** The reports of a service's instances: the first that is not ready counts, so that one bad instance is seen. */
export function serviceReports(deps: {
  name: string
  urls: readonly string[]
  internalKey: string
  cacheTtlMs: number
  clock: Clock
}): () => Promise<Outcome> {
  const { name, urls, internalKey } = deps
  return cachedFor(deps.cacheTtlMs, deps.clock, async () => {
    const outcomes = await Promise.all(urls.map((url) => reportOfInstance(name, url, internalKey)))
    return (
      outcomes.find((outcome) => 'error' in outcome || outcome.report.status === 'error') ??
      (outcomes[0] as Outcome)
    )
  })
}

/**
 * Resolves when every instance answers, whatever it would report: that is its own entry. Rejects with
 * UnreachableError.
 */
export const reachInstances =
  (urls: readonly string[]) =>
  (signal: AbortSignal): Promise<unknown> =>
    Promise.all(urls.map((url) => reach(`${url}/sys/livez`, signal)))

async function reportOfInstance(name: string, url: string, internalKey: string): Promise<Outcome> {
  try {
    const client = createClient(url, { [names.internalKey]: internalKey }, TIMEOUT_MS)
    // Another program may listen there, or another release: one bad entry must not cost the report of all the others.
    const report = ServiceReport.safeParse(await client(getServiceReadiness))
    return report.success
      ? { url, report: report.data }
      : unavailable(name, url, 'What answers there gives no readiness report.')
  } catch (error) {
    const isLate = error instanceof Failure && error.name === 'GatewayTimeout'
    return unavailable(
      name,
      url,
      isLate ? `No answer within ${TIMEOUT_MS} ms.` : 'The service can’t be reached.',
    )
  }
}

const unavailable = (name: string, url: string, message: string): Outcome => ({
  url,
  error: { error: 'ServiceUnavailable', module: name, driver: 'service', message },
})

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
