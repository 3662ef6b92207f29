import { Failure } from '@platform/kernel'
import type { Filter } from '@platform/search'
import { anyValue } from './any-value.ts'
import { isEventPath } from './event-path.ts'
import { requireFewWildcards } from './filter-cost.ts'
import { type AskedPath, readPaths } from './read-paths.ts'

/** What a request says about the events it wants; every other name is a path. */
export interface EventFilterQuery {
  /** Paths and their values as one JSON text. */
  query?: string | undefined
  types?: string | undefined
  text?: string | undefined
  afterDate?: string | undefined
  beforeDate?: string | undefined
  correlationId?: string | undefined
  appInstanceDepth?: number | undefined
}

const ownParameters = new Set([
  'query',
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

/**
 * Events of the workspace (0) and of apps installed in it (1); what apps inside of apps say among themselves is seen
 * when asked for.
 */
const DEPTH_DEFAULT = 1
const depthPath = 'source.appInstanceDepth'

/** The filter of a feed request (reference events 3.7): named parameters, then any path; all must hold. */
export const feedFilter = (query: EventFilterQuery): Filter => ({
  all: [...named(query), ...pathsOf(query).map(freeFilter), ...depth(query)],
})

function named({ types, text, correlationId, afterDate, beforeDate }: EventFilterQuery): Filter[] {
  const all: Filter[] = []
  const wanted = split(types ?? '')
  if (wanted.length > 0) all.push(anyValue('type', fewWildcards(wanted, 'query.types')))
  if (text !== undefined && text.trim() !== '') all.push({ text })
  if (correlationId !== undefined) all.push({ path: 'source.correlationId', in: [correlationId] })
  if (afterDate !== undefined) all.push({ path: 'createdAt', above: isoInstant(afterDate) })
  if (beforeDate !== undefined) all.push({ path: 'createdAt', below: isoInstant(beforeDate) })
  return all
}

/** Every path that is asked for, by a parameter of its own or in `query`, with where it was given. */
const pathsOf = ({ query, ...others }: EventFilterQuery): AskedPath[] => [
  ...Object.entries(others)
    .filter(([path]) => !ownParameters.has(path))
    .map(([path, value]) => ({ path, values: [value as string | string[]].flat(), place: `query.${path}` })),
  ...(query === undefined ? [] : readPaths(query)),
]

/**
 * What says nothing of its depth belongs to the workspace itself. Who asks for a depth by its path means just that
 * one.
 */
function depth(query: EventFilterQuery): Filter[] {
  const { appInstanceDepth } = query
  if (appInstanceDepth === undefined && pathsOf(query).some(({ path }) => path === depthPath)) return []
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

function freeFilter({ path, values, place }: AskedPath): Filter {
  if (isEventPath(path)) return anyValue(path, fewWildcards(values, place))
  const shown = path.slice(0, 100)
  const message = `The query parameter "${shown}" is neither known nor a path such as payload.order.`
  throw new Failure('RequestValidationError', message, { details: [{ path: place.slice(0, 120), message }] })
}

const fewWildcards = (values: readonly string[], place: string): string[] =>
  values.map((value) => requireFewWildcards(value, place))

const split = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** Dates are compared as the ISO text that events carry. */
const isoInstant = (text: string): string => new Date(text).toISOString()
