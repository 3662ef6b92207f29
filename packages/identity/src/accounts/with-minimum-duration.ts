import { setTimeout as pause } from 'node:timers/promises'

/** Longer than writing a mail down takes. */
const LEAST_MS = 100

/**
 * Does `work` and takes at least this long, so that the time of an answer does not tell whether there was anybody to
 * write to.
 */
export async function withMinimumDuration(work: () => Promise<void>, leastMs = LEAST_MS): Promise<void> {
  const [outcome] = await Promise.allSettled([work(), pause(leastMs)])
  if (outcome.status === 'rejected') throw outcome.reason
}
