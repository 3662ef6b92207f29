import { type Env, readConfig } from '@platform/config'
import type { Database } from '@platform/database'
import { type Clock, MINUTE_MS, SECOND_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { type Mailer, openMailer } from '@platform/mail'
import type { MasterKeyRing } from '@platform/master-keys'
import { inBatches, type Job, type Part } from '@platform/service'
import type { Opened } from '../opened.ts'
import { deliverMails } from './deliver-mails.ts'
import { type MailStore, mailStore } from './mail-store.ts'
import type { Mails } from './mails.ts'
import { mailsEnv } from './mails-env.ts'
import { queuedMails, soon } from './queued-mails.ts'

interface Needs {
  env: Env
  database: Database
  masterKeys: MasterKeyRing
  /** Origin of the platform, as people reach it. */
  origin: string
  /** Where mails become files. */
  development: boolean
  opened: Opened
  clock: Clock
  log: Logger
}

const ROUND_MS = 5 * SECOND_MS

export interface OpenMails {
  mails: Mails
  part: Required<Pick<Part, 'jobs'>>
}

/** Mails that are posted with a change and sent after it. Where nothing sends, they wait. */
export function openMails(needs: Needs): OpenMails {
  const { database, masterKeys, origin, opened, clock, log } = needs
  const store = mailStore(database)
  const purge = purgeMails({ store, log })
  const mailer = mailerOf(needs)
  if (mailer === undefined) {
    const mails = queuedMails({ storeIn: mailStore, masterKeys, clock, deliverSoon: () => undefined })
    return { mails, part: { jobs: [purge] } }
  }
  opened.use(mailer)
  const deliver = deliverMails({ store, mailer, masterKeys, place: { origin }, log })
  const failed = (error: unknown) => log.debug({ err: error }, 'mails could not be read, the job tries again')
  const delivery = opened.use(soon(deliver, failed))
  return {
    mails: queuedMails({ storeIn: mailStore, masterKeys, clock, deliverSoon: delivery.ask }),
    part: { jobs: [{ name: 'deliver-mails', everyMs: ROUND_MS, run: deliver }, purge] },
  }
}

function mailerOf({ env, origin, development, log }: Needs): Mailer | undefined {
  const { url, directory, from = `no-reply@${new URL(origin).hostname}` } = readConfig(mailsEnv, env)
  if (url !== undefined) return openMailer({ url, from, log })
  if (development && directory !== undefined) return openMailer({ directory, from, log })
  log.warn(
    development
      ? 'neither SMTP_HOST nor MAIL_DIRECTORY is set: mails are not sent'
      : 'SMTP_HOST is not set: mails are not sent, and given up after a day',
  )
  return undefined
}

const BATCH = 1000

/** Gives up mails that no server took for a day. Any instance may run it. */
const purgeMails = ({ store, log }: { store: Pick<MailStore, 'deleteOver'>; log: Logger }): Job => ({
  name: 'purge-mails',
  everyMs: 10 * MINUTE_MS,
  run: (signal) =>
    inBatches(BATCH, signal, async (limit) => {
      const deleted = await store.deleteOver(limit)
      if (deleted > 0) log.warn({ mails: deleted }, 'mails were given up, no mail server took them for a day')
      return deleted
    }),
})
