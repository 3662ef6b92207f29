import { type Clock, MINUTE_MS } from '@platform/kernel'
import { inBatches, type Job } from '@platform/service'
import type { MailedTokenStore } from './mailed-token-store.ts'

const BATCH = 1000

/** Removes links nobody can use any more. Any instance may run it. */
export const purgeMailedTokens = (deps: {
  tokens: Pick<MailedTokenStore, 'deleteOver'>
  clock: Clock
}): Job => ({
  name: 'purge-mailed-tokens',
  everyMs: 10 * MINUTE_MS,
  run: (signal) => inBatches(BATCH, signal, (limit) => deps.tokens.deleteOver(deps.clock.now(), limit)),
})
