/** What kind of program a client is: one behind a web site, or one on the machine of its user. */
export type ApplicationType = 'web' | 'native'

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
const CUSTOM_SCHEME = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/

/** Characters that browsers drop, turn round or read as something else, and those of wildcards. */
const TREACHEROUS = /[^\x21-\x7e]|[\\*<>"`{}|^]/

/**
 * Why an address can't be one that codes are sent to (RFC 9700 2.1); undefined for a good one. Addresses are compared
 * letter by letter later on, so one that could be written in two ways is refused now.
 */
export function redirectProblem(address: string, type: ApplicationType): string | undefined {
  const url = URL.parse(address)
  if (url === null || address.length > 2000) return 'is not an absolute address'
  if (TREACHEROUS.test(address)) return 'holds a wildcard, a space or another character no address may have'
  if (address.includes('#')) return 'has a fragment'
  if (url.username !== '' || url.password !== '' || authorityOf(address).includes('@'))
    return 'has a user name'
  if (!isPlain(address, url)) return `is not in its plain form ${url.href}`
  return schemeProblem(url, type)
}

/** As `redirectProblem`, for apps named by the operator: a scheme of their own is fine too (RFC 8252 7.1). */
export function appRedirectProblem(address: string): string | undefined {
  const problem = redirectProblem(address, 'native')
  const scheme = URL.parse(address)?.protocol ?? ''
  return problem === NEITHER && CUSTOM_SCHEME.test(scheme) ? undefined : problem
}

/** A loopback address as it counts: the port is the app's to choose each time (RFC 8252 7.3). */
export const isLoopbackRedirect = (url: URL): boolean =>
  url.protocol === 'http:' && LOOPBACK.has(url.hostname)

const NEITHER = 'is neither https nor, for a native client, http on a loopback name'

function schemeProblem(url: URL, type: ApplicationType): string | undefined {
  if (url.protocol === 'https:')
    return type === 'native' && LOOPBACK.has(url.hostname) ? 'is https on a loopback name' : undefined
  return type === 'native' && isLoopbackRedirect(url) ? undefined : NEITHER
}

/** An origin without its slash is as plain as with it. */
const isPlain = (address: string, url: URL): boolean => url.href === address || url.href === `${address}/`

const authorityOf = (address: string): string => /^[^:]*:\/\/([^/?#]*)/.exec(address)?.[1] ?? ''
