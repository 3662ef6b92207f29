import type { Queries } from '@platform/database'
import { type Clock, uuidv7, withoutStoreBudget } from '@platform/kernel'
import type { MasterKeyRing } from '@platform/master-keys'
import { MAIL_LIFETIME_MS, sealContextOf, toText } from './mail.ts'
import type { MailStore } from './mail-store.ts'
import type { Mails } from './mails.ts'

interface Needs {
  storeIn: (tx: Queries) => Pick<MailStore, 'insert'>
  masterKeys: Pick<MasterKeyRing, 'seal'>
  clock: Clock
  deliverSoon: () => void
}

/** Mails wait in the database, sealed, from the commit of what they tell of. */
export const queuedMails = ({ storeIn, masterKeys, clock, deliverSoon }: Needs): Mails => ({
  async post(tx, mail) {
    const id = uuidv7()
    const sealed = masterKeys.seal(toText(mail), sealContextOf(id))
    const expiresAt = new Date(clock.now().getTime() + MAIL_LIFETIME_MS)
    await storeIn(tx).insert({ id, sealed, expiresAt })
  },
  deliverSoon,
})

/**
 * Runs `work` in the background, never twice at once; who asks meanwhile is served by one more run. Errors go to
 * `failed`. Disposing waits for the run in hand and begins no other.
 */
export function soon(
  work: (signal: AbortSignal) => Promise<void>,
  failed: (error: unknown) => void,
): AsyncDisposable & { ask(): void } {
  const closing = new AbortController()
  let running: Promise<void> | undefined
  let again = false
  const run = async () => {
    do {
      again = false
      await work(closing.signal).catch(failed)
    } while (again && !closing.signal.aborted)
    running = undefined
  }
  return {
    ask() {
      again = running !== undefined
      if (!closing.signal.aborted) running ??= withoutStoreBudget(run)
    },
    async [Symbol.asyncDispose]() {
      closing.abort()
      await running
    },
  }
}
