import { identityHeaders } from './forwarded-identity.ts'
import type { Principal } from './principal.ts'

/** A checked credential: who it stands for, and everything made of it that serves many requests. */
export interface Authentication {
  readonly principal: Principal
  /** The identity headers of the principal for services: a flat raw list, made once. */
  readonly identity: readonly string[]
  /** Unix milliseconds when the credential ends by itself. */
  readonly expiresAt: number
  /** Ids whose end or change makes the caller invalid: of the session or token, and of the user. */
  readonly dependsOn: readonly string[]
  /** Unix milliseconds of the last request that used it while its validity was known. */
  seenAt: number
}

/** Makes a caller of a principal. */
export const authenticationOf = (
  principal: Principal,
  validity: { expiresAt: number; dependsOn: readonly string[] },
): Authentication => ({
  principal,
  identity: identityHeaders(principal),
  expiresAt: validity.expiresAt,
  dependsOn: validity.dependsOn,
  seenAt: 0,
})
