import { type Queries, sql } from '@platform/database'

export type ReplayStore = ReturnType<typeof replayStore>

/** A stretch of the log that is delivered again. */
export interface Replay {
  id: string
  subscriptionId: string
  workspaceId: string
  fromEvent: string | null
  fromAt: Date | null
  toAt: Date
  cursorEvent: string | null
  lookedAt: number
}

/** Replays that are under way; what is done is forgotten. */
export const replayStore = (queries: Queries) => ({
  /** Answers false when one of the subscription is under way. */
  async insert(one: Omit<Replay, 'cursorEvent' | 'lookedAt' | 'workspaceId'>, now: Date): Promise<boolean> {
    const rows = await queries.many(sql`
      insert into events.subscription_replays (id, subscription_id, from_event, from_at, to_at, created_at)
      values (${one.id}, ${one.subscriptionId}, ${one.fromEvent}, ${one.fromAt}, ${one.toAt}, ${now})
      on conflict do nothing returning 1`)
    return rows.length > 0
  },

  /** One that nobody works on, locked until the transaction ends. */
  async next(): Promise<Replay | undefined> {
    const [row] = await queries.many<Replay>(sql`
      select r.id, r.subscription_id as "subscriptionId", s.workspace_id as "workspaceId", r.from_event as "fromEvent",
        r.from_at as "fromAt", r.to_at as "toAt", r.cursor_event as "cursorEvent", r.looked_at as "lookedAt"
      from events.subscription_replays r join events.subscriptions s on s.id = r.subscription_id
      order by r.id limit 1 for update of r skip locked`)
    return row
  },

  advance: (id: string, cursorEvent: string, lookedAt: number) =>
    queries.many(sql`
      update events.subscription_replays set cursor_event = ${cursorEvent}, looked_at = ${lookedAt} where id = ${id}`),

  finish: (id: string) => queries.many(sql`delete from events.subscription_replays where id = ${id}`),
})
