import { type Queries, sql } from '@platform/database'

export type MailStore = ReturnType<typeof mailStore>

/** A mail that waits, as it is kept. */
export interface WaitingMail {
  id: string
  sealed: string
  /** With this one. */
  attempts: number
}

/** Mails that no server has taken over yet. */
export const mailStore = (queries: Queries) => ({
  insert: (mail: { id: string; sealed: string; expiresAt: Date }) =>
    queries.many(sql`
      insert into gateway.mails (id, sealed, expires_at) values (${mail.id}, ${mail.sealed}, ${mail.expiresAt})`),

  /** Takes mails whose time has come, oldest first, so that no other instance does for `seconds`. */
  claim: (seconds: number, limit: number): Promise<WaitingMail[]> =>
    queries.many<WaitingMail>(sql`
      update gateway.mails set attempts = attempts + 1, next_try_at = now() + make_interval(secs => ${seconds})
      where id in (
        select id from gateway.mails where next_try_at <= now() and expires_at > now()
        order by next_try_at, id limit ${limit} for update skip locked)
      returning id, sealed, attempts`),

  /** Whoever took longer than its claim leaves the mail to the next one, who is sending it. */
  postpone: ({ id, attempts }: Pick<WaitingMail, 'id' | 'attempts'>, seconds: number) =>
    queries.many(sql`
      update gateway.mails set next_try_at = now() + make_interval(secs => ${seconds})
      where id = ${id} and attempts = ${attempts}`),

  remove: (id: string) => queries.many(sql`delete from gateway.mails where id = ${id}`),

  /** Gives up what no server took in its time. Answers how many. */
  async deleteOver(limit: number): Promise<number> {
    const rows = await queries.many(sql`
      delete from gateway.mails where id in (
        select id from gateway.mails where expires_at <= now() order by expires_at limit ${limit})
      returning 1`)
    return rows.length
  },
})
