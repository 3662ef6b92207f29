import { type Queries, type Sql, sql, textArray } from '@platform/database'
import type { Segment } from '../automations/journal-entries.ts'

export type JournalStore = ReturnType<typeof journalStore>

/** The version of this program that reads and writes segments. */
const FORMAT = 1

/** What was committed of runs before their ends. */
export const journalStore = (database: Queries) => ({
  /** In the order of the commits; none for a run that has committed nothing on its way. */
  list: (runId: string, tries: number): Promise<Segment[]> =>
    database.many<Segment>(sql`
      select try, segment, upto, reads, place, entries from runtime.journal
      where run_id = ${runId} and try = ${tries} and format = ${FORMAT} order by segment`),

  /** Undefined where nothing was committed on the way. */
  async lastSegment(runId: string, tries: number): Promise<number | undefined> {
    const [row] = await database.many<{ segment: number }>(sql`
      select segment from runtime.journal where run_id = ${runId} and try = ${tries} order by segment desc limit 1`)
    return row?.segment
  },
})

/** Characters that one statement takes at most, unless a single segment has more. */
const STATEMENT_SIZE = 8_000_000

/** True for segments that are better written in several statements. */
export const isLarge = (segments: readonly Segment[]): boolean =>
  segments.reduce((size, { entries }) => size + entries.length, 0) > STATEMENT_SIZE

/** Keeps how far runs have come. A commit whose outcome was not known may come again, then with more. */
export async function insertSegments(tx: Queries, segments: readonly Row[]): Promise<void> {
  let rows: Row[] = []
  let size = 0
  for (const segment of segments) {
    if (rows.length > 0 && size + segment.entries.length > STATEMENT_SIZE) {
      await tx.many(insertion(rows))
      rows = []
      size = 0
    }
    rows.push(segment)
    size += segment.entries.length
  }
  if (rows.length > 0) await tx.many(insertion(rows))
}

type Row = Segment & { readonly runId: string }

/** Part of a statement that keeps segments. */
export const insertion = (rows: readonly Row[]): Sql => sql`
  insert into runtime.journal (run_id, try, segment, upto, reads, place, entries, format)
  select *, ${FORMAT} from unnest(${rows.map(({ runId }) => runId)}::uuid[],
    ${rows.map((row) => row.try)}::smallint[], ${rows.map(({ segment }) => segment)}::int[],
    ${rows.map(({ upto }) => upto)}::int[], ${rows.map(({ reads }) => reads)}::int[],
    ${rows.map(({ place }) => place)}::int[], ${textArray(rows.map(({ entries }) => entries))}::text[])
  on conflict (run_id, try, segment) do update set
    upto = excluded.upto, reads = excluded.reads, place = excluded.place, entries = excluded.entries`
