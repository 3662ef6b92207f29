import { headers as names } from '@platform/contracts'
import type { Clock } from '@platform/kernel'
import type { Exchange } from '../exchange.ts'
import {
  type ApiVersion,
  invalidApiVersion,
  requestedDate,
  retired,
  stateOf,
  successorOf,
  unknownVersion,
} from './api-version.ts'
import { behaviourOf, type FindTransforms, majorTransforms } from './served-versions.ts'
import { type Notice, speakV2, type VersionedCall } from './versioned-call.ts'

/** The version that handlers speak; others reach them through transforms. */
const SERVED = 'v2'
const SERVED_PREFIX = '/v2/'
const VERSION_LIKE = /^\/(v\d[^/]*)/i

interface Needs {
  versions: readonly ApiVersion[]
  clock: Clock
  /** Makes the response one of the version that was asked for. */
  changeResponse: (exchange: Exchange, call: VersionedCall) => void
}

/**
 * Reads which version is asked for, before anything else is spent, and makes the request one for v2: all later steps
 * see a v2 path, so that no rule can be passed by with another prefix. Throws RetiredVersion,
 * UnknownVersion or InvalidApiVersion; paths without a version (`/`, `/oidc/…`) pass.
 */
export const chooseVersion = (deps: Needs) => {
  const v2 = entryOf(deps.versions, SERVED)
  const isSteady = v2?.deprecatedAt === undefined && v2?.retiresAt === undefined
  return (exchange: Exchange): void => {
    const isPlain = isSteady && exchange.path.startsWith(SERVED_PREFIX)
    if (isPlain && exchange.request.headers[names.apiVersion] === undefined) return
    const segment = VERSION_LIKE.exec(exchange.path)?.[1]
    if (segment !== undefined) enter(deps, exchange, segment)
  }
}

function enter(deps: Needs, exchange: Exchange, segment: string): void {
  const now = deps.clock.now()
  const { entry, find: asked } = served(deps.versions, exchange, segment, now)
  const state = stateOf(entry, now)
  const date = dateOf(exchange, entry, now)
  if (entry.name === SERVED && date === undefined && state === 'stable') return

  const { used, find } =
    date === undefined ? { used: undefined, find: asked } : behaviourOf(entry.name, entry.releasedOn, date)
  rewrite(exchange, entry.name)
  const notices = state === 'deprecated' ? noticesOf(entry) : []
  const call = callOf(exchange, entry.name, { used, find: find ?? asked, notices })
  exchange.version = call
  speakV2(exchange.request, call)
  deps.changeResponse(exchange, call)
}

function served(versions: readonly ApiVersion[], { response }: Exchange, segment: string, now: Date) {
  const entry = entryOf(versions, segment)
  if (entry === undefined) throw unknownVersion(segment)
  if (stateOf(entry, now) === 'retired') {
    response.setHeader('link', successorLink(entry))
    throw retired(entry)
  }
  const find = majorTransforms(entry.name)
  if (find === undefined) throw unknownVersion(segment)
  return { entry, find }
}

/** A table without v2 does not switch it off. */
const entryOf = (versions: readonly ApiVersion[], segment: string): ApiVersion | undefined =>
  versions.find(({ name }) => name === segment) ??
  (segment === SERVED ? { name: SERVED, releasedOn: '2024-12-31' } : undefined)

function dateOf({ request }: Exchange, entry: ApiVersion, now: Date): string | undefined {
  const given = request.headers[names.apiVersion]
  if (given === undefined) return undefined
  if (typeof given !== 'string') throw invalidApiVersion('must be there once')
  return requestedDate(given, entry.releasedOn, now)
}

function rewrite(exchange: Exchange, name: string): void {
  if (name !== SERVED) exchange.path = `/${SERVED}${exchange.path.slice(name.length + 1)}`
}

function callOf(
  exchange: Exchange,
  name: string,
  { used, find, notices }: { used: string | undefined; find: FindTransforms; notices: readonly Notice[] },
): VersionedCall {
  const transforms = find(exchange.request.method ?? '', exchange.path)
  const given = new URLSearchParams(exchange.search)
  const query = transforms.reduceRight((changed, transform) => transform.query?.(changed) ?? changed, given)
  if (query !== given) exchange.search = `?${query}`
  const representation = name === SERVED ? (used ?? SERVED) : name
  return { name, used, representation, transforms, query, notices }
}

/** What a deprecated version says of itself: a text, RFC 9745, RFC 8594, and where to go. */
function noticesOf(entry: ApiVersion): Notice[] {
  const successor = successorOf(entry)
  const end = entry.retiresAt === undefined ? '' : ` and retires at ${entry.retiresAt}`
  const notices: Notice[] = [
    [names.apiDeprecation, `Version ${entry.name} is deprecated${end}: use ${successor}.`],
    ['link', successorLink(entry)],
  ]
  if (entry.deprecatedAt !== undefined)
    notices.push(['deprecation', `@${Math.floor(Date.parse(entry.deprecatedAt) / 1000)}`])
  if (entry.retiresAt !== undefined) notices.push(['sunset', new Date(entry.retiresAt).toUTCString()])
  return notices
}

const successorLink = (entry: ApiVersion): string => `</${successorOf(entry)}>; rel="successor-version"`
