import type { Database } from '@platform/database'
import { MINUTE_MS } from '@platform/kernel'
import type { IdentityBase } from '../../identity-base.ts'
import type { IdentityConfig } from '../../identity-env.ts'
import type { MintJwt } from '../../keys/mint-jwt.ts'
import type { UserRecord } from '../../users/user.ts'
import type { BrowserSession, LeaveSession } from '../leave-session.ts'
import type { Sessions } from '../sessions.ts'
import { confirmWebSessionTicket } from './confirm-web-session-ticket.ts'
import { createWebSessionTicket } from './create-web-session-ticket.ts'
import { redeemWebSessionTicket } from './redeem-web-session-ticket.ts'
import { webSessionTicketStore } from './web-session-ticket-store.ts'

interface Needs extends Pick<IdentityBase, 'cookies' | 'clock'> {
  database: Database
  config: Pick<IdentityConfig, 'apiUrl' | 'allowedOrigins'>
  sessions: Sessions
  /** How a session was signed in to. */
  providerOf: (sessionId: string) => Promise<string | undefined>
  findUser: (userId: string) => Promise<UserRecord | undefined>
  keyRing: { signing(): { kid: string } }
  mintJwt: MintJwt
  leaveVisit: LeaveSession
  browserSession: BrowserSession
}

/** Signing a browser in to a session that exists, for the composition root. */
export function wireWebSessionTickets({ database, config, ...needs }: Needs) {
  const tickets = webSessionTicketStore(database)
  const { allowedOrigins } = config
  const shared = { ...needs, tickets, allowedOrigins, origin: new URL(config.apiUrl).origin }
  return {
    routes: [createWebSessionTicket(shared), redeemWebSessionTicket(shared), confirmWebSessionTicket(shared)],
    jobs: [
      {
        name: 'purge-web-session-tickets',
        everyMs: 10 * MINUTE_MS,
        run: async () => {
          await tickets.deleteOver(needs.clock.now())
        },
      },
    ],
  }
}
