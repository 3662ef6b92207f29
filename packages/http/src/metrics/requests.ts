import { Durations } from './histogram.ts'
import { type Sample, showMetric } from './registry.ts'

/** What is counted of an answered request. All but the status and the time are names from short lists. */
export interface CountedRequest {
  service: string
  method: string
  /** The pattern of the route, never the path. */
  route: string
  status: number
  /** Kind of the caller. */
  principal: string
  /** Version of the API that answered; empty where paths have none. */
  apiVersion: string
  ms: number
}

/** Numbers the values of a label from 0; once there are as many as there may be, every further value is `other`. */
class FewValues {
  readonly #values: string[] = ['other']
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  indexOf(value: string): number {
    const values = this.#values
    for (let index = 0; index < values.length; index += 1) if (values[index] === value) return index
    return values.length <= this.#max ? values.push(value) - 1 : 0
  }

  valueOf(index: number): string {
    return this.#values[index] ?? 'other'
  }
}

/** Routes one service may have here; contracts and the route table have far fewer. */
const ROUTES_MAX = 400
/** Any other method is counted as `other`: a client could make up any number of them. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const principals = new FewValues(9)
const versions = new FewValues(9)

/** Everything of one route: how long answers took, and how many there were of each kind. */
class RouteSeries {
  readonly labels: { service: string; route: string }
  readonly durations = new Durations()
  readonly answered = new Map<number, { count: number }>()

  constructor(service: string, route: string) {
    this.labels = { service, route }
  }
}

const byService = new Map<string, Map<string, RouteSeries>>()

/** Counts an answered request: two look-ups, two additions, and nothing is made once a kind of request was seen. */
export function countRequest(request: CountedRequest): void {
  const series = seriesOf(request.service, request.route)
  const key = keyOf(request)
  const known = series.answered.get(key)
  if (known === undefined) series.answered.set(key, { count: 1 })
  else known.count += 1
  series.durations.observe(request.ms / 1000)
}

function seriesOf(service: string, route: string): RouteSeries {
  return byService.get(service)?.get(route) ?? newSeries(service, route)
}

function newSeries(service: string, route: string): RouteSeries {
  const routes = byService.get(service) ?? new Map<string, RouteSeries>()
  byService.set(service, routes)
  const name = routes.size < ROUTES_MAX ? route : 'other'
  const series = routes.get(name) ?? new RouteSeries(service, name)
  routes.set(name, series)
  return series
}

/** Status, method, caller and version in one number: a text would have to be made for each request. */
function keyOf({ status, method, principal, apiVersion }: CountedRequest): number {
  const code = status >= 100 && status < 600 ? status : 0
  const kinds =
    METHODS.indexOf(method) + 1 + 10 * (principals.indexOf(principal) + 10 * versions.indexOf(apiVersion))
  return code + 1000 * kinds
}

function labelsOf({ labels }: RouteSeries, key: number): Sample['labels'] {
  const kinds = Math.floor(key / 1000)
  return {
    ...labels,
    status: String(key % 1000),
    method: METHODS[(kinds % 10) - 1] ?? 'other',
    principal: principals.valueOf(Math.floor(kinds / 10) % 10),
    version: versions.valueOf(Math.floor(kinds / 100)),
  }
}

const allSeries = () => [...byService.values()].flatMap((routes) => [...routes.values()])

showMetric({
  name: 'platform_http_requests_total',
  help: 'Requests answered, by service, route, status, method, kind of caller and version of the API.',
  type: 'counter',
  read: () =>
    allSeries().flatMap((series) =>
      [...series.answered].map(([key, { count }]) => ({ labels: labelsOf(series, key), value: count })),
    ),
})

const DURATION = 'platform_http_request_duration_seconds'

showMetric({
  name: DURATION,
  help: 'Seconds from the first byte of a request to the last of its answer.',
  type: 'histogram',
  read: () => allSeries().flatMap(({ durations, labels }) => durations.samples(DURATION, labels)),
})

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

const upstreams = new Map<string, Durations>()
const FIRST_BYTE = 'platform_upstream_first_byte_seconds'

/** Counts the seconds until a service behind the gateway began its response: one object for each upstream. */
export function firstByteTimes(upstream: string): Durations {
  const known = upstreams.get(upstream)
  if (known !== undefined) return known
  const durations = new Durations()
  upstreams.set(upstream, durations)
  return durations
}

showMetric({
  name: FIRST_BYTE,
  help: 'Seconds from sending a request to a service until its answer began.',
  type: 'histogram',
  read: () => [...upstreams].flatMap(([upstream, durations]) => durations.samples(FIRST_BYTE, { upstream })),
})
