export { accessTokenCookie } from '../src/sessions/access-token-cookie.ts'
export { bearer, createFor, inSeconds } from './access-tokens.ts'
export { CHEAP_HASH } from './cheap-hash.ts'
export { axeProblems, type Chromium, chromiumPath, lookClosely, startChromium } from './chromium.ts'
export { ADMIN, type IdentityServer, identityDatabase, startIdentityServer } from './identity-server.ts'
export {
  askRegistration,
  partnerMetadata,
  REGISTRATION_TOKEN,
  type Registered,
  registerClient,
  secretOf,
  tokenForItself,
} from './registration.ts'
export { me, refusedWithin } from './sessions.ts'
export { authorizationOf, Browser, redeem, redeemCode, returnedTo } from './sign-in.ts'
export { type SignedIn, type SignInOptions, signsPeopleIn } from './signed-in.ts'
