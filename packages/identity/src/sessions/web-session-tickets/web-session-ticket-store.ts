import { type Database, sql } from '@platform/database'
import type { WebSessionTicket } from './web-session-ticket.ts'

export type WebSessionTicketStore = ReturnType<typeof webSessionTicketStore>

/** The tickets in the database. */
export const webSessionTicketStore = (database: Database) => ({
  insert: ({ ticketHash, sessionId, scopes, redirect }: WebSessionTicket, expiresAt: Date) =>
    database.many(sql`
      insert into gateway.web_session_tickets (ticket_hash, session_id, scopes, redirect, expires_at)
      values (${ticketHash}, ${sessionId}, ${[...scopes]}, ${redirect}, ${expiresAt})`),

  /** Looks at a ticket that is still good, without burning it. */
  async find(ticketHash: string, now: Date): Promise<WebSessionTicket | undefined> {
    const [ticket] = await database.many<WebSessionTicket>(sql`
      select ticket_hash as "ticketHash", session_id as "sessionId", scopes, redirect from gateway.web_session_tickets
      where ticket_hash = ${ticketHash} and used_at is null and expires_at > ${now}`)
    return ticket
  },

  /** Burns a ticket: of many who open it at once, one gets it. Undefined when it is unknown, used or expired. */
  async use(ticketHash: string, now: Date): Promise<WebSessionTicket | undefined> {
    const [ticket] = await database.many<WebSessionTicket>(sql`
      update gateway.web_session_tickets set used_at = ${now}
      where ticket_hash = ${ticketHash} and used_at is null and expires_at > ${now}
      returning ticket_hash as "ticketHash", session_id as "sessionId", scopes, redirect`)
    return ticket
  },

  deleteOver: (now: Date) =>
    database.many(sql`delete from gateway.web_session_tickets where expires_at < ${now}`),
})
