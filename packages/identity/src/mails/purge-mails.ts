import { MINUTE_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { inBatches, type Job } from '@platform/service'
import type { MailStore } from './mail-store.ts'

const BATCH = 1000

/** Gives up mails that no server took for a day. Any instance may run it. */
export const purgeMails = ({ store, log }: { store: Pick<MailStore, 'deleteOver'>; log: Logger }): Job => ({
  name: 'purge-mails',
  everyMs: 10 * MINUTE_MS,
  run: (signal) =>
    inBatches(BATCH, signal, async (limit) => {
      const deleted = await store.deleteOver(limit)
      if (deleted > 0) log.warn({ mails: deleted }, 'mails were given up, no mail server took them for a day')
      return deleted
    }),
})
