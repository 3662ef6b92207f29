import { type Clock, Failure, SECOND_MS } from '@platform/kernel'

/** A count is believed this long; what this instance starts meanwhile is added to it. */
const COUNTED_FOR_MS = 10 * SECOND_MS
const RETRY_SECONDS = 60

/** Makes sure that there is room for one more anonymous session; rejects with ServiceUnavailable when there is none. */
export type AnonymousRoom = () => Promise<void>

/**
 * Anybody can start such sessions, from as many addresses as they have: their rows are bounded (reliability T-SES-5). Several instances
 * may go over the bound by what they start within the seconds a count is believed.
 */
export function anonymousRoom(deps: {
  /** Counts the rows there are, up to a limit. */
  count: (limit: number) => Promise<number>
  max: number
  clock: Clock
}): AnonymousRoom {
  let counted = { rows: 0, at: Number.NEGATIVE_INFINITY }
  let counting: Promise<void> | undefined

  const count = async (now: number) => {
    counted = { rows: await deps.count(deps.max), at: now }
  }
  return async () => {
    const now = deps.clock.now().getTime()
    if (now - counted.at >= COUNTED_FOR_MS) {
      counting ??= count(now).finally(() => {
        counting = undefined
      })
      await counting
    }
    if (counted.rows >= deps.max) throw full()
    counted.rows += 1
  }
}

const full = () =>
  new Failure(
    'ServiceUnavailable',
    'Too many anonymous sessions are open at this platform: sign in with an account, or try again later.',
    { retryAfterSeconds: RETRY_SECONDS },
  )
