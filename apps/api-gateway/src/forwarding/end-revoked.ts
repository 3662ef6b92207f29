import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '@platform/kernel'
import type { Job } from '@platform/service'
import pLimit from 'p-limit'
import { Exchange, type Step } from '../exchange.ts'
import type { OpenConnections } from './open-connections.ts'

/**
 * Pauses between two rounds. The end of a session reaches every instance within half a second; with this pause and the
 * round, what the session opened is ended within one second.
 */
const ROUND_PAUSE_MS = 100
/** A round takes at least the slices together, so that no turn of the event loop asks about everything. */
const SLICES = 15
const SLICE_MS = 20
/** Questions at once: each may need the database. */
const AT_ONCE = 20

/** The job that ends what was opened with a session, a token or a key that has ended meanwhile. */
export const endRevoked = <T>(
  name: string,
  open: OpenConnections<T>,
  identify: Step,
  end: (one: T) => void,
): Job => ({
  name,
  everyMs: ROUND_PAUSE_MS,
  run: (signal) => askOnce(open, identify, end, signal),
})

/** One round of questions, one for each credential. */
async function askOnce<T>(
  open: OpenConnections<T>,
  identify: Step,
  end: (one: T) => void,
  signal: AbortSignal,
): Promise<void> {
  const groups = open.byCredential()
  if (groups.length === 0) return
  const atOnce = pLimit(AT_ONCE)
  const check = async (group: (typeof groups)[number]) => {
    const [opened] = group.values()
    if (opened === undefined || (await isStillAllowed(opened, identify))) return
    for (const one of [...group.keys()]) end(one)
  }
  for (let slice = 0; slice < SLICES && !signal.aborted; slice += 1) {
    const from = Math.ceil((groups.length * slice) / SLICES)
    const to = Math.ceil((groups.length * (slice + 1)) / SLICES)
    await Promise.all(groups.slice(from, to).map((group) => atOnce(() => check(group))))
    await pause(SLICE_MS, undefined, { signal, ref: false }).catch(() => undefined)
  }
}

/**
 * Whether the credential of a request is still good: the request is identified again as if it came now. Only a clear
 * no ends what it opened; while a store is down it stays, and a new one would be refused.
 */
async function isStillAllowed(opened: Exchange, identify: Step): Promise<boolean> {
  const again = new Exchange(opened.request, opened.response, opened.log)
  const { path, search, clientIp, correlationId, forwarding, run } = opened
  Object.assign(again, { path, search, clientIp, correlationId, forwarding, run })
  try {
    await identify(again)
    return (again.principal === undefined) === (opened.principal === undefined)
  } catch (error) {
    return !(error instanceof Failure && error.name === 'AuthenticationError')
  }
}
