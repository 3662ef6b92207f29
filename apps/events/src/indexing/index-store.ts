import { type Database, type Sql, sql } from '@platform/database'

/** Where a build stands: the index is emptied, filled from the log, compared with it, ready. */
export type Stage = 'emptying' | 'building' | 'comparing' | 'ready'

/** The index as all processes know it. */
export interface IndexRecord {
  /** The name the index gives itself; after a wipe it has another, or none. */
  identity: string
  /** Grows with each build: one that was overtaken changes nothing any more. */
  build: number
  stage: Stage
  /** The sequence of the log up to which this build has copied. */
  cursor: number
  copied: number
  /** Sequences of the log when the build began. */
  total: number
  startedAt: Date
  finishedAt: Date | null
  /** The greatest sequence that was indexed. */
  reached: number
  /** True when a moment ago an event was indexed long after it happened: others may still be missing. */
  isLate: boolean
  /** False when the store was away, or without a leader for a while: it may have lost what was indexed last. */
  isTrusted: boolean
}

/** A stream that is built again alone. `request` names the request: another one overtakes it. */
export interface StreamRebuild {
  stream: string
  request: string
  emptied: boolean
  cursor: number
  copied: number
}

/** Wakes the leader: there is work for it. */
export const INDEX_CHANNEL = 'events_index'

const LATE_SECONDS = 10
/**
 * Longer than from one look after the index to the next, shorter than a search store takes from its kill to its next
 * answer.
 */
const OUT_OF_SIGHT_SECONDS = 12

/** Statements on what is known of the index. Those that change it answer false when their build was overtaken. */
export function indexStore(database: Database) {
  const changed = async (statement: Sql): Promise<boolean> => (await database.many(statement)).length > 0
  return {
    async find(): Promise<IndexRecord | undefined> {
      const [row] = await database.many<IndexRecord>(sql`
        select identity, build, stage, cursor, copied, total, started_at as "startedAt",
          finished_at as "finishedAt", reached,
          coalesce(late_at > now() - make_interval(secs => ${LATE_SECONDS}), false) as "isLate",
          coalesce(well_at > now() - make_interval(secs => ${OUT_OF_SIGHT_SECONDS}), false) as "isTrusted"
        from events.indexes`)
      return row
    },

    /** Begins to build an index that is empty, or another one than before. */
    async begin(identity: string, total: number): Promise<void> {
      await database.transaction(async (tx) => {
        await tx.many(sql`delete from events.stream_rebuilds`)
        await tx.many(sql`
          insert into events.indexes as known (identity, stage, total) values (${identity}, 'building', ${total})
          on conflict (single) do update set identity = excluded.identity, stage = 'building', build = known.build + 1,
            cursor = 0, copied = 0, total = excluded.total, started_at = now(), finished_at = null,
            reached = 0, well_at = now()`)
      })
    },

    /** Asks for the whole index to be emptied and built again; false while none was ever built. */
    requestBuild: (total: number) =>
      changed(sql`
        update events.indexes set stage = 'emptying', build = build + 1, cursor = 0, copied = 0, total = ${total},
          started_at = now(), finished_at = null
        returning 1`),

    enter: (build: number, stage: Stage) =>
      changed(sql`
        update events.indexes set stage = ${stage}, finished_at = case when ${stage} = 'ready' then now() end
        where build = ${build} returning 1`),

    /** Notes how far a build has copied. */
    advance: (build: number, cursor: number, copied: number) =>
      changed(sql`
        update events.indexes
        set cursor = ${cursor}, copied = copied + ${copied}, reached = greatest(reached, ${cursor})
        where build = ${build} and stage = 'building' returning 1`),

    /** Notes what the group has indexed while events arrive. */
    async note(reached: number, isLate: boolean): Promise<void> {
      await database.many(sql`
        update events.indexes set reached = greatest(reached, ${reached}),
          late_at = case when ${isLate} then now() else late_at end`)
    },

    /** Notes that the store was found well and complete, or away. */
    async noteHealth(isWell: boolean): Promise<void> {
      await database.many(sql`update events.indexes set well_at = case when ${isWell} then now() end`)
    },

    /** Wakes the leader, as something was requested. */
    wakeLeader: () => database.notify(INDEX_CHANNEL),

    ...streamRebuilds(database, changed),
  }
}

export type IndexStore = ReturnType<typeof indexStore>

const streamRebuilds = (database: Database, changed: (statement: Sql) => Promise<boolean>) => ({
  rebuilds: (limit: number): Promise<StreamRebuild[]> =>
    database.many(sql`
      select stream, requested_at::text as request, emptied, cursor, copied
      from events.stream_rebuilds order by requested_at limit ${limit}`),

  async requestStreams(streams: readonly string[]): Promise<void> {
    await database.many(sql`
      insert into events.stream_rebuilds (stream) select unnest(${streams}::text[])
      on conflict (stream) do update set emptied = false, cursor = 0, copied = 0, requested_at = clock_timestamp()`)
  },

  noteEmptied: ({ stream, request }: StreamRebuild) =>
    changed(sql`
      update events.stream_rebuilds set emptied = true
      where stream = ${stream} and requested_at = ${request}::timestamptz returning 1`),

  advanceStream: ({ stream, request }: StreamRebuild, cursor: number, copied: number) =>
    changed(sql`
      update events.stream_rebuilds set cursor = ${cursor}, copied = copied + ${copied}
      where stream = ${stream} and requested_at = ${request}::timestamptz returning 1`),

  endStream: ({ stream, request }: StreamRebuild) =>
    changed(sql`
      delete from events.stream_rebuilds
      where stream = ${stream} and requested_at = ${request}::timestamptz returning 1`),
})
