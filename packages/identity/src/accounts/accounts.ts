import type { RequestInfo } from '@platform/http'
import { languageOf } from '../pages/language.ts'
import type { UserRecord } from '../users/user.ts'

/** Who asks, for events, the audit trail and the language of a mail. */
export interface RequestContext {
  ip: string
  correlationId: string
  /** Language of the page or of Accept-Language, for mails to people without one of their own. */
  language: string | undefined
  /** The sign-in somebody came from; a mailed link leads back to it when it is still open. */
  interaction?: string | undefined
}

export interface SignUpInput {
  email: string
  password: string
  firstName: string
  lastName: string
  language?: string | undefined
}

/**
 * What an account's owner does with it before or without being signed in; the routes of the API and the pages both
 * ask here. Rate limits are the callers' business; everything else (validation, silence about unknown addresses,
 * mails, events, audit, ending of sessions) is done here.
 */
export interface Accounts {
  /**
   * `usable`: sign in at once; `mailed`: after the link; `manual`: after an administrator agreed. The user is what an
   * answer shows.
   */
  signUp(
    input: SignUpInput,
    context: RequestContext,
  ): Promise<{ user: UserRecord; next: 'usable' | 'mailed' | 'manual' }>
  /** Mails the validation link again. Silent about unknown and validated addresses. */
  requestValidation(email: string, context: RequestContext): Promise<void>
  /** Throws InvalidOrExpiredToken. */
  validate(
    token: string,
    context: RequestContext,
  ): Promise<{ user: UserRecord; interaction: string | undefined }>
  /** Mails a link. Silent about unknown addresses. */
  requestPasswordReset(email: string, context: RequestContext): Promise<void>
  /** True while the token of a mailed link could be used; nothing is used up. */
  isResetTokenGood(token: string): Promise<boolean>
  /** Sets a new password, ends all sessions, and counts as an answered mail. Throws InvalidOrExpiredToken. */
  resetPassword(
    token: string,
    password: string,
    context: RequestContext,
  ): Promise<{ user: UserRecord; interaction: string | undefined }>
  /** Throws InvalidPassword. All other sessions end. */
  changePassword(
    change: { userId: string; sessionId: string; currentPassword: string; password: string },
    context: RequestContext,
  ): Promise<void>
  /** Mails a link to a page that asks before it deletes. */
  requestDeletion(userId: string, context: RequestContext): Promise<void>
  /** Deletes the account the token was mailed to. Throws InvalidOrExpiredToken. */
  deleteByToken(token: string, context: RequestContext): Promise<void>
  /** Which address a mailed link belongs to; undefined when it can't be used. Nothing is used up. */
  emailOfDeletionToken(token: string): Promise<string | undefined>
}

/** Who asks through the API; a program that names no language has none. */
export const requestContextOf = (
  { clientIp, correlationId, headers }: Pick<RequestInfo, 'clientIp' | 'correlationId' | 'headers'>,
  language?: string,
): RequestContext => ({
  ip: clientIp,
  correlationId,
  language: language ?? preferred(headers['accept-language']),
})

const preferred = (acceptLanguage: string | undefined): string | undefined =>
  acceptLanguage === undefined ? undefined : languageOf(undefined, acceptLanguage)
