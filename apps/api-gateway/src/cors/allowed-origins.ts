/** What a page of an origin may do: nothing, call with a token, or also with the cookie of whoever looks at it. */
export type Admission = 'none' | 'token' | 'cookie'

interface Settings {
  origins: readonly string[]
  pagesHost: string | undefined
  /** With its colon. */
  pagesScheme: string
}

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'

/**
 * Judges the origin of a page. The console and what operators list may use the cookie; pages, which anybody with a
 * workspace writes, may not: they are on the same site as the API, so that a browser would send it along.
 */
export function allowedOrigins({ origins, pagesHost, pagesScheme }: Settings): (origin: string) => Admission {
  const listed = new Set(origins)
  const pages =
    pagesHost === undefined
      ? undefined
      : new RegExp(`^${pagesScheme}//(?:${label}\\.)+${pagesHost.replaceAll('.', '\\.')}$`)
  return (origin) => {
    if (listed.has(origin)) return 'cookie'
    return pages?.test(origin) === true ? 'token' : 'none'
  }
}
