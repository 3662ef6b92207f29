export type { IdentifiedRequest } from './authentication/identified-request.ts'
export { type IdentityTuning, identityMigrations, openIdentity } from './open-identity.ts'
