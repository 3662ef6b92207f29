import type { IncomingHttpHeaders } from 'node:http'

/** Of these Node keeps the first where one is there twice; the guard refuses most such requests. */
const keepsFirst = new Set([
  'age',
  'authorization',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'from',
  'host',
  'if-modified-since',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'retry-after',
  'server',
  'user-agent',
])

/** Names repeat from request to request: each spelling is made lower case once. */
const NAMES_MAX = 1000
const lowerNames = new Map<string, string>()

function lowerNameOf(name: string): string {
  const known = lowerNames.get(name)
  if (known !== undefined) return known
  const lower = name.toLowerCase()
  if (lowerNames.size < NAMES_MAX) lowerNames.set(name, lower)
  return lower
}

/** The headers of a request by their names in lower case, as `node:http` has them. */
export function headersOf(raw: readonly string[]): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {}
  for (let index = 0; index + 1 < raw.length; index += 2)
    add(headers, lowerNameOf(raw[index] as string), raw[index + 1] as string)
  return headers
}

function add(headers: IncomingHttpHeaders, name: string, value: string): void {
  const before = headers[name]
  if (name === 'set-cookie') headers[name] = [...(headers[name] ?? []), value]
  else if (before === undefined) headers[name] = value
  else if (!keepsFirst.has(name)) headers[name] = `${before}${name === 'cookie' ? '; ' : ', '}${value}`
}
