export type { IdentifiedRequest } from './authentication/identified-request.ts'
export { identityMigrations, openIdentity } from './open-identity.ts'
