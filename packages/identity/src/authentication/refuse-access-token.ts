import { refuseAccessToken as refuse } from '@platform/auth'
import type { IdentifiedRequest } from './identified-request.ts'

/** The account itself, signing in and signing up; writes under `security/` are refused by the route table. */
const INTERACTIVE_ONLY = /^\/v2\/(?:user|login|signup)(?:\/|$)/

/**
 * Access tokens work wherever a JWT does except where an account is changed or a session is made (decisions C4).
 * Decided by path, before any route, so that one that is added later can't forget it.
 */
export function refuseAccessToken({ principal, path }: IdentifiedRequest): void {
  if (principal?.kind === 'user' && INTERACTIVE_ONLY.test(path)) refuse(principal)
}
