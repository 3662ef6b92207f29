import type { LimitName } from '@platform/contracts'

/** The limits that are taken here: those of accounts, sign-ins and credentials. */
export const identityLimits = [
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
