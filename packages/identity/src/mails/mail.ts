import { DAY_MS } from '@platform/kernel'
import type { SealedColumn } from '../keys/master-keys/sealed-column-store.ts'
import type { PostedMail } from './mails.ts'

/** How long a mail is tried. */
export const MAIL_LIFETIME_MS = DAY_MS

/** Longer than any attempt takes, so that nobody else sends a mail that is being sent. */
export const LEASE_SECONDS = 120

const FIRST_PAUSE_SECONDS = 15
const LONGEST_PAUSE_SECONDS = 3600

/** Seconds until the next attempt: 15, 30, 60 … at most an hour. */
export const pauseAfter = (attempts: number): number =>
  Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** Math.max(0, attempts - 1))

/** Where a sealed mail is kept. */
export const sealContextOf = (id: string): string => `gateway.mails|${id}|sealed`

/** Where mails wait, for the job that seals them again with a new master key. */
export const sealedMails: SealedColumn = { table: 'gateway.mails', key: 'id', column: 'sealed' }

export const toText = (mail: PostedMail): string => JSON.stringify(mail)
export const fromText = (text: string): PostedMail => JSON.parse(text) as PostedMail
