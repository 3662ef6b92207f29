import type { listEvents, QueryOf } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { Filter } from '@platform/search'

type Query = QueryOf<typeof listEvents>

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
const freePath = /^(payload|source|target|options|error)(\.[\w $-]{1,100}){1,20}$|^(type|id)$/

/** The filter of a feed request (reference events 3.7): named parameters, then any path; all must hold. */
export function feedFilter(query: Query): Filter {
  const all: Filter[] = []
  if (query.types !== undefined) all.push({ path: 'type', in: split(query.types) })
  if (query.text !== undefined && query.text.trim() !== '') all.push({ text: query.text })
  if (query.correlationId !== undefined) all.push({ path: 'source.correlationId', in: [query.correlationId] })
  if (query.afterDate !== undefined) all.push({ path: 'createdAt', above: isoInstant(query.afterDate) })
  if (query.beforeDate !== undefined) all.push({ path: 'createdAt', below: isoInstant(query.beforeDate) })
  if (query.appInstanceDepth !== undefined) all.push(depthAtMost(query.appInstanceDepth))
  for (const [path, value] of Object.entries(query)) {
    if (!ownParameters.has(path)) all.push(freeFilter(path, value as string | string[]))
  }
  return { all }
}

/** Repeated means OR, `*` is a wildcard, an empty value matches events without the field. */
function freeFilter(path: string, value: string | string[]): Filter {
  if (!freePath.test(path)) {
    throw new Failure(
      'RequestValidationError',
      `The query parameter "${path.slice(0, 100)}" is neither known nor a path such as payload.order.`,
    )
  }
  const values = Array.isArray(value) ? value : [value]
  return { any: values.map((one) => oneValue(path, one)) }
}

function oneValue(path: string, value: string): Filter {
  if (value === '') return { path, missing: true }
  return value.includes('*') ? { path, like: value } : { path, in: [value] }
}

const depthAtMost = (depth: number): Filter => ({
  any: [
    { path: 'source.appInstanceDepth', missing: true },
    { path: 'source.appInstanceDepth', atMost: depth },
  ],
})

const split = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

/** Dates are compared as the ISO text that events carry. */
const isoInstant = (text: string): string => new Date(text).toISOString()
