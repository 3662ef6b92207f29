import { showMetric } from './registry.ts'

const servers: { service: string; count: number }[] = []

/**
 * The requests that one server is answering, to be counted up and down by the code that takes them. A new count for
 * each server.
 */
export function requestsInFlight(service: string): { count: number } {
  const inFlight = { service, count: 0 }
  servers.push(inFlight)
  return inFlight
}

showMetric({
  name: 'platform_http_requests_in_flight',
  help: 'Requests that are being answered.',
  type: 'gauge',
  read: () => {
    const byService = new Map<string, number>()
    for (const { service, count } of servers) byService.set(service, (byService.get(service) ?? 0) + count)
    return [...byService].map(([service, value]) => ({ labels: { service }, value }))
  },
})
