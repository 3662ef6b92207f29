export type { Admission, KnownWorkspace, WorkspaceRole } from './access.ts'
export {
  accountHolder,
  admit,
  authenticated,
  interactiveUser,
  type PrincipalOf,
  refuseAccessToken,
  refuseApplication,
  signedIn,
} from './access.ts'
export {
  ACCESS_TOKEN_PREFIX,
  ACCESS_TOKEN_RANDOM_LENGTH,
  accessTokenCredential,
  invalidAccessToken,
} from './access-token-credential.ts'
export { isApiKey, maskedApiKey, newApiKey } from './api-key.ts'
export { apiKeyCredential, type FindApiKey, internalKeyCredential } from './api-key-credential.ts'
export { authenticate, type CredentialResolver, type Credentials, type Found } from './authenticate.ts'
export { type Authentication, authenticationOf } from './authentication.ts'
export { AuthenticationCache } from './authentication-cache.ts'
export { bearerOf, cookieTokenOf, keyElsewhere } from './bearer.ts'
export { type CallingRun, callingRunHeaders, readCallingRun } from './calling-run.ts'
export { identityHeaders, isInternalKey, readIdentity, requireInternalKey } from './forwarded-identity.ts'
export {
  CLOCK_LEEWAY_SECONDS,
  checkedSignatures,
  claimedSession,
  claimsIssuer,
  type JwtCheck,
  type JwtClaims,
  signJwt,
  type VerifyingKey,
  verifyJwt,
} from './jwt.ts'
export {
  type ApiKeyPrincipal,
  actorOf,
  hasScope,
  type InternalPrincipal,
  isProgram,
  type Principal,
  principalKind,
  type UserPrincipal,
  viaOf,
  type WorkspacePrincipal,
} from './principal.ts'
export {
  invalidRunToken,
  RUN_TOKEN_SECONDS,
  type RunTokenClaims,
  type RunTokenPurpose,
  signRunToken,
  verifyRunToken,
} from './run-token.ts'
export { type RunTokenDeps, runTokenCredential } from './run-token-credential.ts'
export { sessionJwtCredential } from './session-jwt-credential.ts'
export { hashToken, hasValidChecksum, withChecksum } from './token-checksum.ts'
