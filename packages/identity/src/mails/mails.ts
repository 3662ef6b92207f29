import type { Queries } from '@platform/database'

/** What the platform writes to people about; each has a text in English and French. */
export type MailTemplate =
  /** Confirms that an address is the account's. Values: `url`. */
  | 'validateAccount'
  /** Somebody tried to sign up with an address that has an account. Values: `signInUrl`, `resetUrl`. */
  | 'alreadyRegistered'
  /** A link to set a new password. Values: `url`. */
  | 'resetPassword'
  /** The password was changed: not a question, a warning. Values: `resetUrl`. */
  | 'passwordChanged'
  /** A link that deletes the account. Values: `url`. */
  | 'deleteAccount'
  /** A second factor was added or taken away. Values: `method`. */
  | 'secondFactorChanged'

export interface PostedMail {
  to: string
  /** A language tag; English for those without a text. */
  language: string | undefined
  template: MailTemplate
  /** Links and names the text needs. They may hold secrets: they are kept sealed and are gone once the mail is sent. */
  values: Record<string, string>
}

/**
 * Mail that is committed with the change it tells of, and sent soon after by any instance, again and again for a day
 * while the mail server does not take it. Nobody waits for a mail server, so an answer takes the same time whether
 * there was somebody to write to.
 */
export interface Mails {
  post(tx: Queries, mail: PostedMail): Promise<void>
  /** Call it after the commit: sends what waits now instead of at the next round. */
  deliverSoon(): void
}
