import { Failure } from '@platform/kernel'
import type { Filter } from '@platform/search'
import { countWildcards, isEventPath, WILDCARDS_MAX } from './event-path.ts'

/** What a request says about the events it wants; every other name is a path. */
export interface EventFilterQuery {
  types?: string | undefined
  text?: string | undefined
  afterDate?: string | undefined
  beforeDate?: string | undefined
  correlationId?: string | undefined
  appInstanceDepth?: number | undefined
}

const ownParameters = new Set([
  'page',
  'limit',
  'types',
  'text',
  'afterDate',
  'beforeDate',
  'beforeId',
  'afterId',
  'sort',
  'correlationId',
  'appInstanceDepth',
])

/** Events of the workspace (0) and of apps installed in it (1); what apps inside of apps say among themselves is seen when asked for. */
const DEPTH_DEFAULT = 1
const depthPath = 'source.appInstanceDepth'

/** The filter of a feed request (reference events 3.7): named parameters, then any path; all must hold. */
export const feedFilter = (query: EventFilterQuery): Filter => ({
  all: [...named(query), ...free(query), ...depth(query)],
})

function named({ types, text, correlationId, afterDate, beforeDate }: EventFilterQuery): Filter[] {
  const all: Filter[] = []
  const wanted = split(types ?? '')
  if (wanted.length > 0) all.push({ path: 'type', in: wanted })
  if (text !== undefined && text.trim() !== '') all.push({ text })
  if (correlationId !== undefined) all.push({ path: 'source.correlationId', in: [correlationId] })
  if (afterDate !== undefined) all.push({ path: 'createdAt', above: isoInstant(afterDate) })
  if (beforeDate !== undefined) all.push({ path: 'createdAt', below: isoInstant(beforeDate) })
  return all
}

const free = (query: EventFilterQuery): Filter[] =>
  Object.entries(query)
    .filter(([path]) => !ownParameters.has(path))
    .map(([path, value]) => freeFilter(path, value as string | string[]))

/** What says nothing of its depth belongs to the workspace itself. Who asks for a depth by its path means just that one. */
function depth(query: EventFilterQuery): Filter[] {
  const { appInstanceDepth } = query
  if (appInstanceDepth === undefined && Object.hasOwn(query, depthPath)) return []
  const atMost = appInstanceDepth ?? DEPTH_DEFAULT
  return [
    {
      any: [
        { path: depthPath, missing: true },
        { path: depthPath, atMost },
      ],
    },
  ]
}

/** Repeated means OR, `*` is a wildcard, an empty value matches events without the field. */
function freeFilter(path: string, value: string | string[]): Filter {
  if (!isEventPath(path)) {
    const shown = path.slice(0, 100)
    throw refusal(shown, `The query parameter "${shown}" is neither known nor a path such as payload.order.`)
  }
  const values = [value].flat()
  const exact = values.filter((one) => one !== '' && !one.includes('*'))
  const patterns = values.filter((one) => one.includes('*'))
  const any: Filter[] = patterns.map((like) => ({ path, like: requireCheap(path, like) }))
  if (exact.length > 0) any.unshift({ path, in: exact })
  if (values.includes('')) any.push({ path, missing: true })
  const [only] = any
  return only !== undefined && any.length === 1 ? only : { any }
}

function requireCheap(path: string, pattern: string): string {
  if (countWildcards(pattern) <= WILDCARDS_MAX) return pattern
  throw refusal(path, `A value of the query parameter "${path}" has more than ${WILDCARDS_MAX} wildcards.`)
}

const refusal = (path: string, message: string): Failure =>
  new Failure('RequestValidationError', message, { details: [{ path: `query.${path}`, message }] })

const split = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** Dates are compared as the ISO text that events carry. */
const isoInstant = (text: string): string => new Date(text).toISOString()
