import type { Logger } from '@platform/logging'
import { MailError, type Mailer } from '@platform/mail'
import type { MasterKeyRing } from '@platform/master-keys'
import { fromText, LEASE_SECONDS, pauseAfter, sealContextOf } from './mail.ts'
import type { MailStore, WaitingMail } from './mail-store.ts'
import { type MailSurroundings, renderMail } from './render-mail.ts'

/** Mails sent at once by one instance. */
const AT_ONCE = 5

interface Needs {
  store: Pick<MailStore, 'claim' | 'postpone' | 'remove'>
  mailer: Mailer
  masterKeys: Pick<MasterKeyRing, 'open'>
  place: MailSurroundings
  log: Logger
}

/** Sends what waits, until nothing is left whose time has come. Any number of instances may do this at once. */
export const deliverMails = (needs: Needs) => async (signal?: AbortSignal) => {
  while (signal?.aborted !== true) {
    const claimed = await needs.store.claim(LEASE_SECONDS, AT_ONCE)
    const outcomes = await Promise.allSettled(claimed.map((waiting) => deliver(needs, waiting)))
    const failed = outcomes.find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
    if (claimed.length < AT_ONCE) return
  }
}

async function deliver(
  { store, mailer, masterKeys, place, log }: Needs,
  waiting: WaitingMail,
): Promise<void> {
  const { id, sealed, attempts } = waiting
  try {
    const mail = fromText(masterKeys.open(sealed, sealContextOf(id)))
    await mailer.send(renderMail(mail, place))
    await store.remove(id)
  } catch (error) {
    // Neither the address nor a link gets into the log: of a failed mail only its id and what the server said.
    const why = error instanceof Error ? error.message : 'unknown'
    if (error instanceof MailError && error.permanent) {
      await store.remove(id)
      log.warn({ mail: id, attempts, why }, 'a mail was given up, it will never be taken')
      return
    }
    const seconds = pauseAfter(attempts)
    await store.postpone(waiting, seconds)
    log.warn({ mail: id, attempts, seconds, why }, 'a mail was not taken, it will be tried again')
  }
}
