const FIELDS = ['protocol', 'host', 'hostname', 'port', 'hash', 'search', 'pathname', 'href'] as const

/** What an address that begins with its path has none of. */
const NO_ORIGIN = { protocol: null, host: null, hostname: null, port: null, slashes: null, auth: null }

/** Of an address with its scheme, or of one that begins with its path. */
function parse(address: string, parsesQuery = false): Record<string, unknown> {
  const isWhole = /^[a-z][a-z0-9+.-]*:/i.test(address)
  const url = new URL(address, isWhole ? undefined : 'http://none.invalid')
  const { search, searchParams, pathname } = url
  const path = pathname + search
  return {
    ...Object.fromEntries(FIELDS.map((field) => [field, url[field] || null])),
    slashes: url.href.startsWith(`${url.protocol}//`),
    auth: authOf(url),
    path,
    query: parsesQuery ? Object.fromEntries(searchParams) : search.slice(1) || null,
    ...(isWhole ? {} : { ...NO_ORIGIN, href: path + url.hash }),
  }
}

function authOf({ username, password }: URL): string | null {
  const parts = [username, password].filter((part) => part !== '')
  return parts.length === 0 ? null : parts.map((part) => decodeURIComponent(part)).join(':')
}

interface Parts {
  readonly protocol?: string | null
  readonly auth?: string | null
  readonly host?: string | null
  readonly hostname?: string | null
  readonly port?: string | number | null
  readonly pathname?: string | null
  readonly search?: string | null
  readonly query?: Record<string, string> | string | null
  readonly hash?: string | null
}

function format(parts: Parts | string): string {
  if (typeof parts === 'string' || parts instanceof URL) return String(parts)
  const { query, search, pathname, hash } = parts
  const params = new URLSearchParams(query ?? '').toString()
  return originOf(parts) + (pathname ?? '') + withMark(search ?? params, '?') + withMark(hash ?? '', '#')
}

function originOf({ protocol, auth, host, hostname, port }: Parts): string {
  const scheme = protocol ? protocol.replace(/:?$/, ':') : ''
  const place = host ?? (hostname ?? '') + (port ? `:${port}` : '')
  return place === '' ? scheme : `${scheme}//${auth ? `${auth}@` : ''}${place}`
}

const withMark = (text: string, mark: string): string =>
  text === '' || text.startsWith(mark) ? text : mark + text

function resolve(from: string, to: string): string {
  const url = new URL(to, new URL(from, 'resolve://none.invalid'))
  return url.protocol === 'resolve:' ? url.pathname + url.search + url.hash : url.href
}

/** The module; the classes cost something, and are there when they are asked for. */
export const url = {
  parse,
  format,
  resolve,
  get URL() {
    return globalThis.URL
  },
  get URLSearchParams() {
    return globalThis.URLSearchParams
  },
}
