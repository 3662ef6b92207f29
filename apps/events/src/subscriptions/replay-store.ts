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

/**
 * A batch takes a search of five seconds and little more; a replay whose worker is gone, or whose search fails, waits
 * as long.
 */
const WORK_SECONDS = 15

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

  /** The one that has waited longest and no process works on; for a while it is the caller's. */
  async take(): Promise<Replay | undefined> {
    const [row] = await queries.many<Replay>(sql`
      update events.subscription_replays r set worked_until = now() + ${`${WORK_SECONDS} seconds`}::interval
      from events.subscriptions s
      where s.id = r.subscription_id and r.id = (
        select id from events.subscription_replays where worked_until is null or worked_until <= now()
        order by worked_until nulls first, id limit 1 for update skip locked)
      returning r.id, r.subscription_id as "subscriptionId", s.workspace_id as "workspaceId",
        r.from_event as "fromEvent", r.from_at as "fromAt", r.to_at as "toAt", r.cursor_event as "cursorEvent",
        r.looked_at as "lookedAt"`)
    return row
  },

  /**
   * Locks one until the transaction ends. False when it has moved on since it was read, or is gone: another process
   * was faster.
   */
  async lockAsRead({ id, cursorEvent, lookedAt }: Replay): Promise<boolean> {
    const rows = await queries.many(sql`
      select from events.subscription_replays
      where id = ${id} and looked_at = ${lookedAt} and cursor_event is not distinct from ${cursorEvent}::text
      for update`)
    return rows.length > 0
  },

  /** Others that wait have their turn before it goes on. */
  advance: (id: string, cursorEvent: string, lookedAt: number) =>
    queries.many(sql`
      update events.subscription_replays
      set cursor_event = ${cursorEvent}, looked_at = ${lookedAt}, worked_until = now() where id = ${id}`),

  finish: (id: string) => queries.many(sql`delete from events.subscription_replays where id = ${id}`),
})
