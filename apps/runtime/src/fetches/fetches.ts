import { setTimeout as pause } from 'node:timers/promises'
import { ConfigError } from '@platform/config'
import { wholeResponse } from '@platform/function-calls'
import { FairPlaces, growingPauseMs } from '@platform/kernel'
import { type Outbound, type OutboundPolicy, openOutbound } from '@platform/outbound'
import type { ReadWhileItComes } from './event-stream-items.ts'
import type { FetchAnswer, FetchFailure } from './fetch-answer.ts'
import { type Attempted, attempt, type Sender } from './fetch-attempt.ts'
import { askedPauseMs, LONGEST_PAUSE_MS } from './fetch-fault.ts'
import { type FetchMetrics, type FetchOutcome, fetchMetrics } from './fetch-metrics.ts'
import type { FetchRequest } from './fetch-request.ts'
import type { FetchSettings } from './fetches-env.ts'
import { OauthTokens } from './oauth-tokens.ts'
import type { CallingFrame, OwnApi } from './own-api.ts'
import { StreamPlaces } from './stream-places.ts'

/** Calls of automations to the outside. */
export interface Fetches extends AsyncDisposable {
  readonly settings: FetchSettings
  /** Calls of the platform itself; without it they are calls like any other. */
  readonly own?: OwnApi | undefined
  /** Sends a request, and again after failures that may pass. Rejects only when the run that wants it is over. */
  send(request: FetchRequest, call: FetchCall): Promise<FetchAnswer | FetchFailure>
}

/** Calls of functions in code to the outside. */
export interface Exchanges {
  /** Sends what is asked for, once, and answers all that comes back. Rejects where nothing does. */
  exchange(
    url: string | URL,
    init: RequestInit,
    call: Pick<FetchCall, 'workspaceId' | 'signal'>,
  ): Promise<Response>
}

/** Who sends a request. */
export interface FetchCall {
  readonly workspaceId: string
  /** The run as it shows itself to our own API. */
  readonly frame?: CallingFrame | undefined
  /** Sent with each attempt, where the automation has not written the header itself. */
  readonly headers: Readonly<Record<string, string>>
  /** Aborts when the run is over. */
  readonly signal: AbortSignal
  /** How long the run may still take. */
  readonly remainingMs: () => number
  /** True where nothing is tried again here, because the caller does. */
  readonly isTriedOnce?: boolean
  /** Which answers who asks reads while they come, and closes; without it none is. */
  readonly streams?: ReadWhileItComes | undefined
  /** Told of the access token that an attempt shows. */
  readonly onToken?: (token: string) => void
  /** Told of each attempt when it has ended. */
  readonly onAttempt?: (attempt: FetchAttempt) => void
}

/** An attempt that was made: at what Unix milliseconds, how long it took, and the status or what went wrong. */
export type FetchAttempt = readonly [atMs: number, durationMs: number, outcome: string]

/** All workspaces together may have this many times as much under way as one. */
const WORKSPACES = 10
/** The same of streams, each of which is open for long. */
const STREAMING_WORKSPACES = 5
/** An idle connection keeps its origin for some seconds: enough for all that a process calls within them. */
const ORIGINS = 20_000
/** Where the other side asks for nothing. */
const LONGEST_BACKOFF_MS = 10_000

/** Throws ConfigError naming an entry of the allowed or forbidden hosts that is none. */
export function openFetches(settings: FetchSettings, own?: OwnApi): Fetches & Exchanges {
  const all = settings.concurrency * WORKSPACES
  const streams = new StreamPlaces({ each: settings.streams, all: settings.streams * STREAMING_WORKSPACES })
  const policy: OutboundPolicy = {
    allowed: settings.allowedHosts,
    allowedBy: 'FETCH_ALLOWED_HOSTS',
    forbidden: settings.forbiddenHosts,
    resolvesItself: true,
    allowsHttp2: settings.allowsHttp2,
    proxies: settings.proxies,
    timeoutMs: settings.maxTimeoutMs,
    maxResponseBytes: settings.maxResponseBytes,
    // The places decide how much is under way: waiting for a connection nobody would see.
    connectionsPerOrigin: all + settings.streams * STREAMING_WORKSPACES,
    origins: ORIGINS,
  }
  const outbound = outboundOf(policy)
  // Connections to servers that nobody vouches for are never used for anything else; few automations need them.
  let credulous: Outbound | undefined
  // Only for these the gateway may have an address that nothing else may call.
  const inside = own && outboundOf({ ...policy, ownOrigin: own.origin })
  const outboundFor = ({ takesAnyCertificate }: FetchRequest, isOwn: boolean): Outbound => {
    if (isOwn && inside !== undefined) return inside
    if (!takesAnyCertificate) return outbound
    credulous ??= outboundOf({ ...policy, acceptsAnyCertificate: true })
    return credulous
  }
  const tokens = new OauthTokens(outbound)
  const places = new FairPlaces({ each: settings.concurrency, all })
  const metrics = fetchMetrics(places, streams)
  return {
    settings,
    own,
    send: (request, call) =>
      send({ settings, own, outboundFor, tokens, places, streams, metrics }, request, call),
    exchange: (url, init, call) => exchange({ outbound, places, metrics }, url, init, call),
    async [Symbol.asyncDispose]() {
      metrics[Symbol.dispose]()
      await outbound[Symbol.asyncDispose]()
      await credulous?.[Symbol.asyncDispose]()
      await inside?.[Symbol.asyncDispose]()
    },
  }
}

function outboundOf(policy: OutboundPolicy): Outbound {
  try {
    return openOutbound(policy)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError([`FETCH_ALLOWED_HOSTS, FETCH_FORBIDDEN_HOSTS or NO_PROXY: ${reason}`])
  }
}

interface Needs {
  readonly settings: FetchSettings
  readonly own: OwnApi | undefined
  readonly outboundFor: (request: FetchRequest, isOwn: boolean) => Outbound
  readonly tokens: OauthTokens
  readonly places: FairPlaces
  readonly streams: StreamPlaces
  readonly metrics: FetchMetrics
}

async function send(
  needs: Needs,
  request: FetchRequest,
  call: FetchCall,
): Promise<FetchAnswer | FetchFailure> {
  const headers = new Headers(request.headers)
  for (const [name, value] of Object.entries(call.headers)) if (!headers.has(name)) headers.set(name, value)
  const maxRetries = call.isTriedOnce === true ? 0 : needs.settings.maxRetries
  for (let failures = 0; ; failures += 1) {
    const attempted = await attemptInPlace(needs, request, headers, call)
    const pauseMs = failures < maxRetries ? pauseBefore(attempted, failures, needs.settings) : undefined
    if (pauseMs === undefined || pauseMs > Math.min(LONGEST_PAUSE_MS, call.remainingMs()))
      return resultOf(attempted)
    await pause(pauseMs, undefined, { signal: call.signal })
  }
}

/** A pause holds no place. */
async function attemptInPlace(
  { own, outboundFor, tokens, places, streams, metrics }: Needs,
  request: FetchRequest,
  headers: Headers,
  { workspaceId, signal, onAttempt, onToken, frame, streams: what }: FetchCall,
): Promise<Attempted> {
  const giveBack = await places.take(workspaceId, signal)
  try {
    const atMs = Date.now()
    const taken = what && { what, takePlace: () => streams.take(workspaceId) }
    const introduce = frame && own?.introducing(request, frame)
    const outbound = outboundFor(request, introduce !== undefined)
    const sender: Sender = { outbound, tokens, workspaceId, onToken, streams: taken, introduce }
    const attempted = await attempt(sender, request, headers, signal)
    onAttempt?.([atMs, Date.now() - atMs, outcomeOf(attempted)])
    metrics.counted('error' in attempted ? 'failed' : classOf(attempted.status))
    return attempted
  } finally {
    giveBack()
  }
}

async function exchange(
  { outbound, places, metrics }: Pick<Needs, 'places' | 'metrics'> & { readonly outbound: Outbound },
  url: string | URL,
  init: RequestInit,
  { workspaceId, signal }: Pick<FetchCall, 'workspaceId' | 'signal'>,
): Promise<Response> {
  const giveBack = await places.take(workspaceId, signal)
  try {
    const response = await wholeResponse(await outbound.fetch(url, init))
    metrics.counted(classOf(response.status))
    return response
  } catch (error) {
    metrics.counted('failed')
    throw error
  } finally {
    giveBack()
  }
}

const outcomeOf = (attempted: Attempted): string =>
  'error' in attempted ? attempted.code || attempted.error.name : String(attempted.status)

const classOf = (status: number): FetchOutcome => {
  if (status < 300) return '2xx'
  if (status < 400) return '3xx'
  return status < 500 ? '4xx' : '5xx'
}

/** How long to wait before the next attempt; undefined for what would not pass. */
function pauseBefore(attempted: Attempted, failures: number, settings: FetchSettings): number | undefined {
  const backoffMs = growingPauseMs(failures, {
    firstMs: settings.firstPauseMs,
    longestMs: LONGEST_BACKOFF_MS,
  })
  if ('error' in attempted) return settings.retryCodes.includes(attempted.code ?? '') ? backoffMs : undefined
  if (!settings.retryStatus.includes(attempted.status)) return undefined
  return askedPauseMs(attempted) ?? backoffMs
}

const resultOf = (attempted: Attempted): FetchAnswer | FetchFailure =>
  'error' in attempted ? { error: attempted.error } : attempted
