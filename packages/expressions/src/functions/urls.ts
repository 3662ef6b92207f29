import { grow, type Run } from '../run.ts'
import { isDeniedName, isRecord } from '../values/properties.ts'
import { toText } from '../values/text.ts'

type Parameters = readonly unknown[]

/** URL(text): its parts as plain data; undefined when the text is no absolute URL. */
export function url([value]: Parameters, run: Run): unknown {
  const text = toText(value, run)
  grow(run, text.length * 3)
  const parsed = URL.parse(text)
  if (parsed === null) return undefined
  const { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash } = parsed
  const searchParams = withForms(new URLSearchParams(search))
  return {
    href,
    origin,
    protocol,
    username,
    password,
    host,
    hostname,
    port,
    pathname,
    search,
    searchParams,
    hash,
  }
}

/** URLSearchParams(text, object or list of pairs): .asString and .asJSON. */
export function searchParameters([value]: Parameters, run: Run): unknown {
  if (value === undefined || value === null) return {}
  const parameters = readParameters(value, run)
  const asString = parameters.toString()
  grow(run, asString.length)
  return { asString, asJSON: toRecord(parameters) }
}

function readParameters(value: unknown, run: Run): URLSearchParams {
  if (!isRecord(value) && !Array.isArray(value)) return new URLSearchParams(toText(value, run))
  const parameters = new URLSearchParams()
  const entries: readonly unknown[] = Array.isArray(value) ? value : Object.entries(value)
  for (const entry of entries) {
    const [key, item]: readonly unknown[] = Array.isArray(entry) ? entry : []
    if (item !== undefined) parameters.append(toText(key, run), toText(item ?? 'null', run))
  }
  return parameters
}

function toRecord(parameters: URLSearchParams): Record<string, string> {
  const record: Record<string, string> = {}
  for (const [key, item] of parameters) if (!isDeniedName(key)) record[key] = item
  return record
}

// Reads like the parameters themselves and still answers to .asString and .asJSON.
function withForms(parameters: URLSearchParams): Record<string, string> {
  const record = toRecord(parameters)
  const forms = { asString: parameters.toString(), asJSON: toRecord(parameters) }
  for (const [name, value] of Object.entries(forms)) {
    if (!Object.hasOwn(record, name)) Object.defineProperty(record, name, { value, enumerable: false })
  }
  return record
}
