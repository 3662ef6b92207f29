import { showMetric } from './registry.ts'

const services = new Map<string, { count: number }>()

/** The number of requests a service is answering, to be counted up and down by whoever takes them. One object a service. */
export function requestsInFlight(service: string): { count: number } {
  const known = services.get(service)
  if (known !== undefined) return known
  const inFlight = { count: 0 }
  services.set(service, inFlight)
  return inFlight
}

showMetric({
  name: 'platform_http_requests_in_flight',
  help: 'Requests that are being answered.',
  type: 'gauge',
  read: () => [...services].map(([service, { count }]) => ({ labels: { service }, value: count })),
})
