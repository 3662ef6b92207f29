import type { Clock } from '@platform/kernel'
import { type ApiVersion, retired, stateOf, unknownVersion } from './api-version.ts'

/** The version whose handlers answer; others reach them once their transforms exist. */
const SERVED = 'v2'
const VERSION_LIKE = /^\/(v\d[^/]*)/i

/**
 * Checks the version of a canonical path before anything else is spent. Throws RetiredVersion or UnknownVersion; paths without a
 * version (`/`, `/oidc/…`) pass.
 */
export const versionCheck = (deps: { versions: readonly ApiVersion[]; clock: Clock }) => {
  const servedPrefix = `/${SERVED}/`
  return (path: string): void => {
    if (path.startsWith(servedPrefix)) return
    const segment = VERSION_LIKE.exec(path)?.[1]
    if (segment === undefined || segment === SERVED) return
    const entry = deps.versions.find(({ name }) => name === segment)
    if (entry !== undefined && stateOf(entry, deps.clock.now()) === 'retired') throw retired(entry)
    throw unknownVersion(segment)
  }
}
