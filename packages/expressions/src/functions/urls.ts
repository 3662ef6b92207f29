import { grow, type Run, scan, spend } from '../run.ts'
import { percentEncodedLength } from '../values/encoded-length.ts'
import { isDeniedName, isRecord, keysOf } from '../values/properties.ts'
import { toText } from '../values/text.ts'

type Parameters = readonly unknown[]

/** The address is written out as a whole and in parts, its parameters three times. */
const copies = 5

/** Making one parameter, its texts not counted. */
const perParameter = 10

/** Reading names of other alphabets costs the square of their length, and no host is this long. */
const longestHost = 1_000

/** URL(text): its parts as plain data; undefined when the text is no absolute URL. */
export function url([value]: Parameters, run: Run): unknown {
  const text = toText(value, run)
  scan(run, text.length)
  payForParameters(text, run)
  grow(run, percentEncodedLength(text) * copies)
  const parsed = hostLength(text) > longestHost ? null : URL.parse(text)
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

// Read as an address is: blanks at its ends and line breaks anywhere do not count, slashes lean both ways.
function hostLength(text: string): number {
  const address = text.replace(/[\t\r\n]/g, '')
  return /^\P{L}*(?:https?|wss?|ftp|file):[/\\]*([^/\\?#]*)/iu.exec(address)?.[1]?.length ?? 0
}

/** URLSearchParams(text, object or list of pairs): .asString and .asJSON. */
export function searchParameters([value]: Parameters, run: Run): unknown {
  if (value === undefined || value === null) return {}
  const parameters = readParameters(value, run)
  return { asString: parameters.toString(), asJSON: toRecord(parameters) }
}

/** Whatever the parameters become is paid for before they are made. */
function readParameters(value: unknown, run: Run): URLSearchParams {
  if (!isRecord(value) && !Array.isArray(value)) return readText(toText(value, run), run)
  const parameters = new URLSearchParams()
  const entries: readonly unknown[] = Array.isArray(value) ? value : entriesOf(value, run)
  spend(run, entries.length * perParameter)
  for (const entry of entries) {
    const [key, item]: readonly unknown[] = Array.isArray(entry) ? entry : []
    if (item === undefined) continue
    const [name, text] = [toText(key, run), toText(item ?? 'null', run)]
    payForText(name, run)
    payForText(text, run)
    parameters.append(name, text)
  }
  return parameters
}

function entriesOf(record: Record<string, unknown>, run: Run): [string, unknown][] {
  return keysOf(record, run).map((key) => [key, record[key]])
}

function readText(text: string, run: Run): URLSearchParams {
  payForParameters(text, run)
  payForText(text, run)
  return new URLSearchParams(text)
}

// It is kept as it is and written out.
function payForText(text: string, run: Run): void {
  scan(run, text.length)
  grow(run, text.length * 2 + percentEncodedLength(text))
}

function payForParameters(text: string, run: Run): void {
  scan(run, text.length)
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) spend(run, perParameter)
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
