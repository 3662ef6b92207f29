import type { Database } from '@platform/database'
import { type Clock, MINUTE_MS } from '@platform/kernel'
import type { Part } from '@platform/service'
import type { MintJwt } from '../keys/mint-jwt.ts'
import { presentUser } from '../users/user.ts'
import type { UserStore } from '../users/user-store.ts'
import type { CookiePolicy } from './access-token-cookie.ts'
import { anonymousRoom } from './anonymous/anonymous-room.ts'
import { createAnonymousSession } from './anonymous/create-anonymous-session.ts'
import { crowdedSiteStore } from './anonymous/crowded-site-store.ts'
import type { SignOut } from './end-sessions.ts'
import { endAllSessions, endCurrentSession, endSession } from './end-sessions.ts'
import type { BrowserSession, LeaveSession } from './leave-session.ts'
import { listSessions } from './list-sessions.ts'
import type { SessionStore } from './session-store.ts'
import type { Sessions } from './sessions.ts'
import { createWebSessionTicket } from './web-session-tickets/create-web-session-ticket.ts'
import {
  confirmWebSessionTicket,
  redeemWebSessionTicket,
} from './web-session-tickets/redeem-web-session-ticket.ts'
import { webSessionTicketStore } from './web-session-tickets/web-session-ticket-store.ts'

interface Needs {
  database: Database
  users: Pick<UserStore, 'find' | 'insertAnonymous'>
  sessions: Sessions
  records: SessionStore
  keyRing: { signing(): { kid: string } }
  mintJwt: MintJwt
  cookies: CookiePolicy
  /** Ends sessions with what the OIDC server could start new ones with. */
  signOut: SignOut
  leaveSession: LeaveSession
  browserSession: BrowserSession
  /** Tells every instance what has ended. */
  broadcast: (ids: string[]) => Promise<void>
  apiUrl: string
  /** Origins whose pages a ticket may lead to. */
  allowedOrigins: readonly string[]
  /** Client of anonymous sessions. */
  clientId: string
  anonymousMax: number
  clock: Clock
}

/** Sessions as people begin, see and end them; `current` goes before the ids. */
export function sessionsPart(needs: Needs): Part {
  const { records, signOut, cookies, clock } = needs
  const tickets = webSessionTicketStore(needs.database)
  const redemption = redemptionNeeds(needs, tickets)
  return {
    routes: [
      listSessions({ records, clock }),
      endCurrentSession({ signOut, cookies }),
      endAllSessions({ signOut, cookies }),
      endSession({ records, signOut, clock }),
      createWebSessionTicket(redemption),
      redeemWebSessionTicket(redemption),
      confirmWebSessionTicket(redemption),
      anonymousSession(needs),
    ],
    jobs: [
      {
        name: 'purge-web-session-tickets',
        everyMs: 10 * MINUTE_MS,
        run: async () => {
          await tickets.deleteOver(clock.now())
        },
      },
    ],
  }
}

const redemptionNeeds = (needs: Needs, tickets: ReturnType<typeof webSessionTicketStore>) => ({
  tickets,
  sessions: needs.sessions,
  providerOf: needs.records.providerOf,
  findUser: needs.users.find,
  keyRing: needs.keyRing,
  mintJwt: needs.mintJwt,
  leaveSession: needs.leaveSession,
  browserSession: needs.browserSession,
  cookies: needs.cookies,
  origin: new URL(needs.apiUrl).origin,
  allowedOrigins: needs.allowedOrigins,
  clock: needs.clock,
})

/** Starting without an account. */
function anonymousSession(needs: Needs) {
  const { users, sessions, records, keyRing, mintJwt, cookies, clientId, clock } = needs
  const crowded = crowdedSiteStore(needs.database)
  const room = anonymousRoom({
    count: records.countAnonymous,
    async makeRoom(wanted) {
      const made = await crowded.makeRoom(wanted)
      await needs.broadcast(made.sessionIds)
      return made
    },
    max: needs.anonymousMax,
    clock,
  })
  return createAnonymousSession({
    insertUser: async (times) => presentUser(await users.insertAnonymous(times)),
    sessions,
    keyRing,
    mintJwt,
    room,
    clock,
    cookies,
    clientId,
  })
}
