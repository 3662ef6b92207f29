import { Failure } from '@platform/kernel'
import type { IdentifiedRequest } from './identified-request.ts'

/**
 * The account, other people's accounts and the platform itself: no scope stands for them, so nobody can have agreed
 * to them.
 */
const NOT_BY_SCOPE = /^\/v2\/(?:me|user|users|contacts|login|orgs|platform|readiness)(?:\/|$)/

/**
 * A JWT of an application that is not the platform's own carries what its person agreed to: resource scopes. What no
 * scope covers is refused, by path and before any route, so that one that is added later can't forget it (decisions
 * I5).
 */
export function refuseThirdParty({ principal, path, forwarding, isSafe }: IdentifiedRequest): void {
  if (principal?.kind !== 'user' || principal.thirdParty !== true) return
  // A key it made would go on working when its person has taken everything back.
  const isSecurityChange = forwarding?.interactiveWrites === true && !isSafe
  if (!isSecurityChange && !NOT_BY_SCOPE.test(path)) return
  throw new Failure(
    'InsufficientScope',
    'This application may not do this for its users: only the platform’s own applications can. Ask /oidc/me who somebody is.',
  )
}
