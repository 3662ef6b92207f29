import ipaddr from 'ipaddr.js'
import { bareHost, parsed } from './address.ts'

/** The proxies that an operator wants calls to go through. */
export interface Proxies {
  /** For addresses that begin with http://, and with https://: `http://user:password@proxy.internal:3128`. */
  readonly http?: string | undefined
  readonly https?: string | undefined
  /** What is called without them: names with those below, addresses, ranges, each with a port or not; `*` is all. */
  readonly except: readonly string[]
  /** True where the proxy alone knows the names of the outside: it is then what keeps calls from the inside. */
  readonly resolvesNames: boolean
}

type Protocol = string

/** The proxy of an address; undefined for what is called directly. */
export type FindProxy = (target: { protocol: Protocol; hostname: string; port: string }) => URL | undefined

const PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * Throws an Error naming what is no proxy or no exception. This machine itself, and `ownOrigin`, are never called
 * through a proxy.
 */
export function proxyFinder(proxies: Proxies | undefined, ownOrigin?: string): FindProxy {
  if (proxies?.http === undefined && proxies?.https === undefined) return () => undefined
  const found = { 'http:': proxyUrl(proxies.http), 'https:': proxyUrl(proxies.https) }
  const own = ownOrigin === undefined ? [] : [exceptionOf(authorityOf(new URL(ownOrigin)))]
  const exceptions = [...own, ...proxies.except.map(exceptionOf)]
  return ({ protocol, hostname, port }) => {
    const proxy = found[protocol as keyof typeof found]
    if (proxy === undefined) return undefined
    const target = { host: bareHost(hostname), port: port === '' ? (PORTS[protocol] ?? '') : port }
    return isOwn(target.host) || exceptions.some((matches) => matches(target)) ? undefined : proxy
  }
}

function proxyUrl(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined
  const url = URL.parse(text)
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '')
    return url
  throw new Error('A proxy must be an address such as http://proxy.internal:3128.')
}

const authorityOf = ({ protocol, hostname, port }: URL): string =>
  `${hostname}:${port === '' ? PORTS[protocol] : port}`

interface Target {
  readonly host: string
  readonly port: string
}

function exceptionOf(entry: string): (target: Target) => boolean {
  if (entry === '*') return () => true
  if (ipaddr.isValidCIDR(entry)) {
    const [base, bits] = ipaddr.parseCIDR(entry)
    return ({ host }) => {
      const address = parsed(host)
      return address?.kind() === base.kind() && address.match(base, bits)
    }
  }
  const { host, port } = partsOf(entry)
  const name = bareHost(host).replace(/^(\*?\.)+/, '')
  if (name === '' || /[\s/]/.test(name))
    throw new Error(`"${entry}" is no exception from proxies: name a host.`)
  const address = parsed(name)?.toString()
  return (target) =>
    (port === undefined || port === target.port) &&
    (address === undefined
      ? target.host === name || target.host.endsWith(`.${name}`)
      : parsed(target.host)?.toString() === address)
}

/** An address of IPv6 has colons itself. */
function partsOf(entry: string): { host: string; port: string | undefined } {
  const found = /^(\[.+\]|[^:]+):(\d{1,5})$/.exec(entry)
  return found === null ? { host: entry, port: undefined } : { host: found[1] ?? '', port: found[2] }
}

const isOwn = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || parsed(host)?.range() === 'loopback'

/** What shows a proxy who asks. */
export function proxyHeaders({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {}
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }
}
