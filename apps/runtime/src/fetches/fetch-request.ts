import { durationMs } from '@platform/contracts'
import { isRecord } from '@platform/kernel'
import { MAX_OUTPUT, requireSize } from '../contexts/value-size.ts'
import type { FetchSettings } from './fetches-env.ts'
import { invalid, isMissing, textOf } from './given-fields.ts'
import { type FormPart, partsOf } from './multipart.ts'
import { type OwnIdentity, ownIdentityOf } from './own-identity.ts'
import { authOf, type RequestAuth } from './request-auth.ts'

/** The fields of a `fetch` once its templates are filled in; nothing of them is checked yet. */
export interface GivenRequest {
  readonly url: unknown
  readonly method: unknown
  readonly headers: unknown
  readonly query: unknown
  readonly body: unknown
  readonly multipart: unknown
  readonly auth: unknown
  readonly prismeaiApiKey: unknown
  readonly allowSelfSignedCert: unknown
  readonly timeout: unknown
  readonly redirects: unknown
}

/** A request as each of its attempts sends it. */
export interface FetchRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: string | undefined
  /** Fields of a form with files, which is sent instead of the body. */
  readonly parts?: readonly FormPart[] | undefined
  readonly auth?: RequestAuth | undefined
  /** Of a call of our own API. */
  readonly identity?: OwnIdentity | undefined
  /** True where a certificate is taken that nobody vouches for. */
  readonly takesAnyCertificate: boolean
  readonly timeoutMs: number
  readonly maxRedirects: number
}

const METHODS = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])
const REDIRECTS = 3
const MAX_REDIRECTS = 10

/** Belong to the connection, not to the request; automations that pass on what they were called with have them. */
const OF_THE_CONNECTION = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Throws InvalidInstructionError naming the field that can't be sent, PayloadTooLarge for too much of a body. */
export function requestOf(given: GivenRequest, settings: FetchSettings): FetchRequest {
  const method = methodOf(given.method)
  const headers = headersOf(given.headers)
  if (!headers.has('user-agent')) headers.set('user-agent', settings.userAgent)
  const isBodiless = method === 'GET' || method === 'HEAD'
  const parts = isBodiless ? undefined : partsOf(given.multipart)
  // The boundary between the fields is part of it.
  if (parts !== undefined) headers.delete('content-type')
  return {
    url: urlOf(given.url, given.query),
    method,
    headers,
    body: isBodiless || parts !== undefined ? undefined : bodyOf(given.body, headers),
    parts,
    auth: authOf(given.auth),
    identity: ownIdentityOf(given.auth, given.prismeaiApiKey),
    takesAnyCertificate: given.allowSelfSignedCert === true || given.allowSelfSignedCert === 'true',
    timeoutMs: timeoutOf(given.timeout, settings),
    maxRedirects: redirectsOf(given.redirects),
  }
}

function methodOf(given: unknown): string {
  if (isMissing(given)) return 'GET'
  const method = typeof given === 'string' ? given.toUpperCase() : ''
  if (METHODS.has(method)) return method
  throw invalid(`fetch.method must be one of ${[...METHODS].join(', ').toLowerCase()}.`)
}

/** What is no address that may be called is left to the guard of all calls, which knows the rules. */
function urlOf(given: unknown, query: unknown): URL {
  const url = typeof given === 'string' ? URL.parse(given.trim()) : null
  if (url === null)
    throw invalid('fetch.url must be an absolute address that begins with https:// or http://.')
  if (isMissing(query)) return url
  if (!isRecord(query)) throw invalid('fetch.query must be an object.')
  requireSize(query, MAX_OUTPUT, () => 'The query of a fetch')
  for (const [name, value] of Object.entries(query))
    for (const item of [value].flat()) if (!isMissing(item)) url.searchParams.append(name, textOf(item))
  return url
}

function headersOf(given: unknown): Headers {
  const headers = new Headers()
  if (isMissing(given)) return headers
  if (!isRecord(given)) throw invalid('fetch.headers must be an object.')
  for (const [name, value] of Object.entries(given))
    if (!isMissing(value) && !OF_THE_CONNECTION.has(name.toLowerCase())) setHeader(headers, name, value)
  return headers
}

function setHeader(headers: Headers, name: string, value: unknown): void {
  const items = [value].flat()
  const named = `The header "${name.slice(0, 100)}" of a fetch`
  if (items.some((item) => typeof item === 'object')) throw invalid(`${named} must be a text.`)
  try {
    for (const item of items) headers.append(name, String(item))
  } catch {
    throw invalid(`${named} has a name or a value that no header may have.`)
  }
}

/** Sets the content type where the automation names none. */
function bodyOf(given: unknown, headers: Headers): string | undefined {
  if (isMissing(given)) return undefined
  requireSize(given, MAX_OUTPUT, () => 'The body of a fetch')
  if (typeof given === 'string') return given
  const type = headers.get('content-type') ?? 'application/json'
  headers.set('content-type', type)
  return type.toLowerCase().startsWith('application/x-www-form-urlencoded')
    ? formOf(given)
    : JSON.stringify(given)
}

function formOf(given: unknown): string {
  if (!isRecord(given)) throw invalid('fetch.body must be an object or a text where it is sent as a form.')
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(given))
    for (const item of [value].flat()) if (!isMissing(item)) form.append(name, textOf(item))
  return form.toString()
}

function timeoutOf(given: unknown, { timeoutMs, maxTimeoutMs }: FetchSettings): number {
  if (isMissing(given)) return timeoutMs
  const ms = durationMs(given)
  if (ms !== undefined && ms >= 1 && ms <= maxTimeoutMs) return ms
  throw invalid(`fetch.timeout must be a time of at most ${maxTimeoutMs / 1000} s, for example 5 or "500ms".`)
}

function redirectsOf(given: unknown): number {
  if (isMissing(given)) return REDIRECTS
  const count = typeof given === 'object' ? Number.NaN : Number(given)
  if (Number.isInteger(count) && count >= 0 && count <= MAX_REDIRECTS) return count
  throw invalid(`fetch.redirects must be a whole number from 0 to ${MAX_REDIRECTS}.`)
}
