import type { LimitName } from '@platform/contracts'

/** The limits the gateway takes itself: those of accounts, sign-ins and credentials. */
export const gatewayLimits = [
  'signUp',
  'anonymousLogin',
  'tokenExchange',
  'signIn',
  'externalLogin',
  'login',
  'loginDevice',
  'loginAddress',
  'passwordReset',
  'passwordChange',
  'validationMail',
  'deletionMail',
  'contacts',
  'webSessionTicket',
  'upload',
  'secondFactor',
  'secondFactorAddress',
  'secondFactorDay',
  'badApiKeys',
  'badCredentials',
] as const satisfies readonly LimitName[]
