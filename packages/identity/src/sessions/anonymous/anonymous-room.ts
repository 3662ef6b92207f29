import { type Clock, Failure, MINUTE_MS, SECOND_MS } from '@platform/kernel'
import { siteOf } from '../sessions.ts'
import type { MadeRoom } from './crowded-site-store.ts'

/** A count is believed this long; what this instance starts meanwhile is added to it. */
const COUNTED_FOR_MS = 10 * SECOND_MS
const RETRY_SECONDS = 60
/** Where a site is crowded by its own visitors, those of the last minute stay. */
const IDLE_MS = MINUTE_MS
/** Sessions that give way at a time: a hundredth of all, and not so many that others wait for it. */
const GIVES_WAY_MAX = 500

/**
 * Makes sure that there is room for one more anonymous session from an address; rejects with ServiceUnavailable when
 * there is none.
 */
export type AnonymousRoom = (clientIp: string) => Promise<void>

interface Needs {
  /** Counts the rows there are, up to a limit. */
  count: (limit: number) => Promise<number>
  /** Ends sessions of the most crowded site. */
  makeRoom: (wanted: { site: string; idleSince: Date; limit: number }) => Promise<MadeRoom>
  max: number
  clock: Clock
}

/**
 * Anybody can start such sessions, from as many addresses as they have: their rows are bounded.
 * When all are taken, those of the site that has the most give way, the longest idle first, so that whoever fills the
 * room makes place for all others. Several instances may go over the bound by what they start within the seconds a
 * count is believed.
 */
export function anonymousRoom(deps: Needs): AnonymousRoom {
  let counted = { rows: 0, at: Number.NEGATIVE_INFINITY }
  let counting: Promise<void> | undefined
  const making = roomMaker(deps)

  const count = async (now: number) => {
    counted = { rows: await deps.count(deps.max), at: now }
  }
  return async (clientIp) => {
    const now = deps.clock.now().getTime()
    if (now - counted.at >= COUNTED_FOR_MS) {
      counting ??= count(now).finally(() => {
        counting = undefined
      })
      await counting
    }
    if (counted.rows >= deps.max)
      await making(
        siteOf(clientIp),
        now,
        () => counted.rows >= deps.max,
        (freed) => {
          counted.rows -= freed
        },
      )
    if (counted.rows >= deps.max) throw full()
    counted.rows += 1
  }
}

/** One at a time, and not again and again for a site that has nothing idle to give. */
function roomMaker({ makeRoom, max }: Needs) {
  const limit = Math.min(GIVES_WAY_MAX, Math.max(1, Math.floor(max / 100)))
  let crowded: { site: string; at: number } | undefined
  let making: Promise<void> = Promise.resolve()

  const isCrowded = (site: string, now: number) => crowded?.site === site && now - crowded.at < COUNTED_FOR_MS

  return async (site: string, now: number, isFull: () => boolean, free: (rows: number) => void) => {
    const mine = async () => {
      if (!isFull() || isCrowded(site, now)) return
      const made = await makeRoom({ site, idleSince: new Date(now - IDLE_MS), limit })
      crowded = made.site === site && made.sessionIds.length === 0 ? { site, at: now } : undefined
      free(made.sessionIds.length)
    }
    // Whether the one before has failed is told to who asked for it.
    const turn = making.then(mine)
    making = turn.catch(() => undefined)
    await turn
  }
}

const full = () =>
  new Failure(
    'ServiceUnavailable',
    'Too many anonymous sessions are open at this platform: sign in with an account, or try again later.',
    { retryAfterSeconds: RETRY_SECONDS },
  )
