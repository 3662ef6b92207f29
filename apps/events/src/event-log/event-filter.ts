import { Failure } from '@platform/kernel'
import type { Filter } from '@platform/search'
import { z } from 'zod'
import { requireFewWildcards } from './filter-cost.ts'

/** What a request says about the events it wants; every other name is a path. */
interface EventFilterQuery {
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

/** The filter of a feed request: named parameters, then any path; all must hold. */
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
    .map(([path, value]) => ({
      path,
      values: [value as string | string[]].flat(),
      parameter: `query.${path}`,
    })),
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

function freeFilter({ path, values, parameter }: AskedPath): Filter {
  if (isEventPath(path)) return anyValue(path, fewWildcards(values, parameter))
  const shown = path.slice(0, 100)
  const message = `The query parameter "${shown}" is neither known nor a path such as payload.order.`
  throw new Failure('RequestValidationError', message, {
    details: [{ path: parameter.slice(0, 120), message }],
  })
}

const fewWildcards = (values: readonly string[], parameter: string): string[] =>
  values.map((value) => requireFewWildcards(value, parameter))

const split = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** Dates are compared as the ISO text that events carry. */
const isoInstant = (text: string): string => new Date(text).toISOString()

type Value = string | number | boolean

/**
 * A path has one of these values: `*` is a wildcard, an empty text means that the event lacks it. Feed, streams and
 * webhooks share it.
 */
export function anyValue(path: string, values: readonly Value[]): Filter {
  const exact = values.filter((value) => value !== '' && !isPattern(value))
  const any: Filter[] = values.filter(isPattern).map((like) => ({ path, like }))
  if (exact.length > 0) any.unshift({ path, in: exact })
  if (values.includes('')) any.push({ path, missing: true })
  const [only] = any
  return only !== undefined && any.length === 1 ? only : { any }
}

const isPattern = (value: Value): value is string => typeof value === 'string' && value.includes('*')

/** A key of a path: letters, digits and a little punctuation; `\.` is a dot that belongs to the key. */
const key = String.raw`(?:[\p{L}\p{M}\p{N}_ $@:/-]|\\[.\\]){1,100}`
const deepPath = new RegExp(String.raw`^(?:payload|source|target|options|error)(?:\.${key}){1,20}$`, 'u')

/** Fields of an event with a single value. */
const plainFields: ReadonlySet<string> = new Set(['type', 'id', 'createdAt', 'size'])

/** True for a path that conditions on events may name. */
export const isEventPath = (path: string): boolean => plainFields.has(path) || deepPath.test(path)

/** A path with the values it may have, and where it was asked for. */
interface AskedPath {
  path: string
  values: string[]
  parameter: string
}

const PathValue = z.union([z.string().max(500), z.number(), z.boolean(), z.null()])
const PathValues = z.record(z.string().max(300), z.union([PathValue, z.array(PathValue).max(50)]))

/**
 * The paths of the parameter `query`, for example `{"payload.city": ["Lyon", "Lille"]}`. Throws
 * RequestValidationError.
 */
function readPaths(text: string): AskedPath[] {
  const read = PathValues.safeParse(parsed(text))
  if (!read.success) throw refusal()
  return Object.entries(read.data).map(([path, values]) => ({
    path,
    values: [values].flat().map((value) => (value === null ? '' : String(value))),
    parameter: `query.query.${path}`,
  }))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refusal()
  }
}

function refusal(): Failure {
  const message =
    'The query parameter "query" must be a JSON object of paths and values, such as {"payload.city": ["Lyon", "L*"]}.'
  return new Failure('RequestValidationError', message, { details: [{ path: 'query.query', message }] })
}
