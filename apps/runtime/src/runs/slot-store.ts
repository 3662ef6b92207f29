import { type Database, type Sql, sql } from '@platform/database'
import { cancelled } from '../automations/active-run-parts.ts'
import type { CompiledDebounce } from '../automations/model.ts'
import { storableJson } from '../contexts/storable.ts'
import type { Claim } from './run.ts'
import { CANCELLED_RUNS } from './run-change-store.ts'

export type SlotStore = ReturnType<typeof slotStore>

/** What became of a run that wanted a place: it has it, waits for it, found none, or is another worker's by now. */
export type TakenSlot = 'taken' | 'held' | 'full' | 'lost'
/** What became of a run that a later event may replace: it waits, one has come, or it is another worker's. */
export type Debounced = 'held' | 'replaced' | 'lost'

const LATER_EVENT = 'a later event took its place (debounce).'
/** The end of a run that a later event has replaced. */
export const laterEventCame = cancelled(LATER_EVENT).toJSON()

const REPLACED = 'a newer run took its place (concurrency: cancel-oldest).'

type HeldFor = Pick<CompiledDebounce, 'periodMs' | 'maxMs'>

/** Places of runs whose automations limit how many are at work at once. */
export const slotStore = (database: Database) => ({
  /** Takes a place, unless that many are taken. A run that may wait is given back then, and queued when one is free. */
  async take(slot: string, limit: number, claim: Claim, mayWait: boolean): Promise<TakenSlot> {
    const [row] = await database.many<{ taken: TakenSlot }>(takeSlot(slot, limit, claim, mayWait))
    return row?.taken ?? 'lost'
  },

  /** The same, after the oldest of the others were cancelled or asked to end. */
  takeFromOldest: (slot: string, limit: number, claim: Claim): Promise<TakenSlot> =>
    database.transaction(async (tx) => {
      const asked = await tx.many<{ id: string }>(sql`
        select id from runtime.cancel_oldest_in_slot(
          ${slot}, ${claim.id}, ${limit}, ${REPLACED}, ${storableJson(cancelled(REPLACED))}::jsonb) id`)
      for (const { id } of asked) tx.notify(CANCELLED_RUNS, id)
      const [row] = await tx.many<{ taken: TakenSlot }>(takeSlot(slot, limit, claim, true))
      return row?.taken ?? 'lost'
    }),

  /** Holds a run until nothing more has come for its period, instead of the one that is held for the same. */
  async debounce(name: string, { periodMs, maxMs }: HeldFor, { id, attempt }: Claim): Promise<Debounced> {
    const [row] = await database.many<{ debounced: Debounced }>(sql`
      select runtime.debounce_run(${name}, ${id}, ${attempt}, ${periodMs} * interval '1 millisecond',
        ${maxMs ?? null}::float8 * interval '1 millisecond', ${storableJson(laterEventCame)}::jsonb) as debounced`)
    return row?.debounced ?? 'lost'
  },

  /** Queues the runs that wait for a place that is free by now; answers how many. */
  async admit(slots: readonly string[]): Promise<number> {
    let admitted = 0
    for (const slot of slots) {
      const [row] = await database.many<{ count: number }>(
        sql`select runtime.admit_to_slot(${slot}) as count`,
      )
      admitted += row?.count ?? 0
    }
    return admitted
  },

  /** Slots that runs wait for, after the given one; a loose scan of the index of held runs. */
  async listWaitedFor(after: string, limit: number): Promise<string[]> {
    const rows = await database.many<{ slot: string }>(sql`
      with recursive held (slot, number) as (
        (select one.slot, 1 from (${heldAfter(sql`${after}::text`)}) one)
        union all
        select (${heldAfter(sql`held.slot`)}), held.number + 1 from held
        where held.slot is not null and held.number < ${limit}
      )
      select slot from held where slot is not null`)
    return rows.map(({ slot }) => slot)
  },
})

const takeSlot = (slot: string, limit: number, { id, attempt }: Claim, mayWait: boolean): Sql => sql`
  select runtime.take_slot(${slot}, ${limit}, ${id}, ${attempt}, ${mayWait}) as taken`

const heldAfter = (place: Sql): Sql => sql`
  select r.slot from runtime.runs r
  where r.status = 'waiting' and r.waits_for = 'slot' and r.slot > ${place} order by r.slot limit 1`
