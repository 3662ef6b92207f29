import type { Filter } from '@platform/search'

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
