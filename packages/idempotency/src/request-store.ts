import { type Queries, sql } from '@platform/database'

/** What is found under a key. */
export interface RequestRow {
  owner: string
  fingerprint: Buffer
  /** True after 24 hours: it is over, purged or not. */
  isOld: boolean
  isLeaseOver: boolean
  /** null while the request runs. */
  status: number | null
  headers: Record<string, string> | null
  body: string | null
  secret: boolean
}

/** A request that wants a key. */
export interface Claim {
  id: Buffer
  fingerprint: Buffer
  owner: string
  leaseMs: number
}

const PURGE_TIMEOUT_MS = 10_000

/** All SQL about keys. Times are those of the database: instances with clocks of their own agree on what is over. */
export const requestStore = (queries: Queries) => ({
  /**
   * One round trip whoever comes first: the update that changes nothing waits for a claim under way and reads what is
   * there.
   */
  async claim({ id, fingerprint, owner, leaseMs }: Claim): Promise<RequestRow> {
    const [row] = await queries.many<RequestRow>(sql`
      insert into idempotency.requests as kept (id, fingerprint, owner, lease_until)
      values (${id}, ${fingerprint}, ${owner}, now() + ${leaseMs}::double precision * interval '1 millisecond')
      on conflict (id) do update set owner = kept.owner
      returning owner, fingerprint, created_at < now() - interval '24 hours' as "isOld",
        lease_until <= now() as "isLeaseOver", status, headers, body, secret`)
    if (row === undefined) throw new Error('The claim of an idempotency key returned no row.')
    return row
  },

  async removeOld(id: Buffer): Promise<void> {
    await queries.many(sql`
      delete from idempotency.requests where id = ${id} and created_at < now() - interval '24 hours'`)
  },

  async keep(
    { id, owner }: Pick<Claim, 'id' | 'owner'>,
    answer: { status: number; headers: Record<string, string>; body: string; secret: boolean },
  ): Promise<void> {
    await queries.many(sql`
      update idempotency.requests
      set status = ${answer.status}, headers = ${JSON.stringify(answer.headers)}::jsonb, body = ${answer.body},
        secret = ${answer.secret}
      where id = ${id} and owner = ${owner}`)
  },

  async endLease({ id, owner }: Pick<Claim, 'id' | 'owner'>): Promise<void> {
    await queries.many(sql`
      update idempotency.requests set lease_until = created_at
      where id = ${id} and owner = ${owner} and status is null`)
  },

  async release({ id, owner }: Pick<Claim, 'id' | 'owner'>): Promise<void> {
    await queries.many(sql`
      delete from idempotency.requests where id = ${id} and owner = ${owner} and status is null`)
  },

  /** Removes at most `limit` rows older than 24 h; answers how many. */
  async purge(limit: number): Promise<number> {
    const removed = await queries.many(
      sql`
        delete from idempotency.requests where id in (
          select id from idempotency.requests where created_at < now() - interval '24 hours'
          order by created_at limit ${limit} for update skip locked)
        returning 1`,
      { timeoutMs: PURGE_TIMEOUT_MS },
    )
    return removed.length
  },
})

export type RequestStore = ReturnType<typeof requestStore>
