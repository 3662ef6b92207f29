import type { BodyOf, callFunction } from '@platform/contracts'
import type { GuardedFetch, GuardedRequest } from '@platform/custom-code'
import {
  type CarriedSecrets,
  concealedResponse,
  type FetchRate,
  textOfBody,
  wholeResponse,
} from '@platform/function-calls'
import type { FairPlaces } from '@platform/kernel'
import type { Outbound } from '@platform/outbound'
import {
  createThrottle,
  type Throttle,
  type ThrottleLimits,
  throttled,
  toldLimits,
  unlimited,
} from '@platform/rate-limits'
import { concealer, fillBody, fillHeaders, fillText, referencesIn } from '@platform/secret-references'

/** How functions call the outside here. */
export interface CallFetches {
  readonly outbound: Pick<Outbound, 'fetch'>
  /** For what is fetched at once. */
  readonly places: FairPlaces
  /** For how often a workspace fetches. */
  readonly rates: FetchRates
  readonly userAgent: string
}

/** How often each workspace fetches here. */
export interface FetchRates {
  readonly throttle: Throttle<'fetches'>
  /** What was said of a workspace with its last call. */
  learn(workspaceId: string, rate: FetchRate): void
}

/** As often as `limits` say, unless a call says otherwise of its workspace. */
export function fetchRates(limits: ThrottleLimits<'fetches'> | undefined): FetchRates {
  if (limits === undefined) return { throttle: unlimited, learn: () => undefined }
  const { limitsOf, tell, forget } = toldLimits(limits)
  return {
    throttle: createThrottle(limits, limitsOf),
    learn(workspaceId, rate) {
      if (rate === undefined) forget(workspaceId)
      else tell(workspaceId, rate === null ? undefined : { fetches: rate })
    },
  }
}

type Call = Pick<BodyOf<typeof callFunction>, 'workspaceId' | 'key' | 'traceparent' | 'secrets' | 'fetchRate'>

/** The platform's own guard decides what may be called; nothing of the platform itself is sent along. */
export function fetchOf(
  { outbound, places, rates, userAgent }: CallFetches,
  { workspaceId, key, traceparent, secrets = [], fetchRate }: Call,
): GuardedFetch {
  rates.learn(workspaceId, fetchRate)
  let count = 0
  return async (url, { headers: given, ...request }) => {
    count += 1
    const headers = new Headers(given)
    const ours = { 'user-agent': userAgent, 'idempotency-key': `${key}-${count}`, traceparent }
    await throttled(rates.throttle, workspaceId, 'fetches', request.signal)
    for (const [name, value] of Object.entries(ours))
      if (value !== undefined && !headers.has(name)) headers.set(name, value)
    const { address, init, conceal } = withSecrets(url, { ...request, headers }, secrets)
    const giveBack = await places.take(workspaceId, request.signal)
    try {
      const response = await wholeResponse(await outbound.fetch(address, init))
      return conceal === undefined ? response : await concealedResponse(response, conceal)
    } finally {
      giveBack()
    }
  }
}

type Sent = Omit<GuardedRequest, 'headers'> & { readonly headers: Headers }

interface Filled {
  readonly address: string
  readonly init: Sent
  /** Puts references where an answer repeats values; undefined where none was put in. */
  readonly conceal?: (value: unknown) => unknown
}

/** The request as it leaves: the values are in it and in nothing that the function sees. */
function withSecrets(url: string, request: Sent, secrets: CarriedSecrets): Filled {
  const body = textOfBody(request.body)
  if (secrets.length === 0 || body === undefined) return { address: url, init: request }
  const found = referencesIn([url, ...request.headers.values(), body])
  const used = secrets.filter(({ bytes }) => found.has(bytes))
  const gone = used.find((one) => one.gone !== undefined)
  if (gone?.gone !== undefined) throw new Error(gone.gone)
  const values = new Map(used.map(({ bytes, value = '' }) => [bytes, value]))
  if (values.size === 0) return { address: url, init: request }
  const headers = fillHeaders(request.headers, values)
  if (typeof headers === 'string') throw new Error(headers)
  const type = headers.get('content-type')
  const filled = body === '' ? {} : { body: new TextEncoder().encode(fillBody(body, values, type)) }
  return {
    address: fillText(url, values, encodeURIComponent),
    init: { ...request, headers, ...filled },
    conceal: concealer(values, found),
  }
}
