export type { IdentifiedRequest } from './authentication/identified-request.ts'
export { openIdentity } from './open-identity.ts'
