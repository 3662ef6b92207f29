/** A message to one person, as plain text and as HTML. */
export interface Mail {
  to: string
  subject: string
  text: string
  html: string
}

/** Sends mail: through SMTP, or in development into the log and as files. */
export interface Mailer extends AsyncDisposable {
  /** What really sends: `smtp`, or `directory` for `<dir>/*.eml`. */
  readonly driver: 'smtp' | 'directory'
  /**
   * Resolves when the server has taken the message over. Rejects with MailError; `permanent` says that trying again
   * is of no use.
   */
  send(mail: Mail): Promise<void>
}

/** A message that was not taken over. */
export class MailError extends Error {
  override readonly name = 'MailError'
  readonly permanent: boolean

  constructor(message: string, options: { cause?: unknown; permanent: boolean }) {
    super(message, { cause: options.cause })
    this.permanent = options.permanent
  }
}

/** What mail is sent with. */
export interface MailerOptions {
  /**
   * `smtp://user:password@host:port` (STARTTLS wherever the server offers it) or `smtps://…` (TLS from the first
   * byte).
   */
  url?: string | undefined
  /** Who it comes from, as an address or `Name <address>`. */
  from: string
  /** Where messages are stored as `*.eml` when there is no `url`; made with mode 0700, its files with 0600. */
  directory?: string | undefined
  /** Logs the file of each message, never its text: a mailed link is a secret. */
  log: { warn(fields: object, message: string): void }
  /** Milliseconds the server may take to be reached, to greet and to answer. */
  timeoutMs?: number
  /** Certificates to trust instead of the system's, as PEM. */
  ca?: string | undefined
}
