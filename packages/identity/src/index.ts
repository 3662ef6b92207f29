export type { IdentifiedRequest } from './authentication/identified-request.ts'
export { refuseAccessToken } from './authentication/refuse-access-token.ts'
export { refuseThirdParty } from './authentication/refuse-third-party.ts'
export { openIdentity } from './open-identity.ts'
