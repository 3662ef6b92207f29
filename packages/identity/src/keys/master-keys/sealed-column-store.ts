import { type Queries, raw, type Sql, sql } from '@platform/database'

/**
 * A column of sealed texts, as the noun that seals them describes it to `wireMasterKeys`. Every name is written in
 * code, none comes from a caller.
 */
export interface SealedColumn {
  table: string
  /** Column with the id of the row. */
  key: string
  /** The sealed text; null where there is none. An SQL expression where it is inside of a document. */
  column: string
  /** SQL that puts the text `new_text` there; the column itself without it. */
  assignment?: string
  /** Which rows may have one. */
  where?: string
  /** What the value is bound to; `<table>|<id>|<column>` without it. */
  place?: (id: string) => string
}

/** A value that a master key has sealed, and where it stands: it opens nowhere else. */
export interface SealedValue {
  id: string
  place: string
  sealed: string
}

/** Where sealed values are kept. */
export interface SealedColumnStore {
  /** Shown to operators, for example `gateway.signing_keys.sealed_jwk`. */
  readonly name: string
  /**
   * At most `limit` values after `after` that another key than `masterKeyId` sealed, locked until the transaction
   * ends.
   */
  list(tx: Queries, masterKeyId: string, after: string, limit: number): Promise<SealedValue[]>
  /** Puts each resealed value where the old one still is. Answers how many. */
  replace(tx: Queries, values: readonly (SealedValue & { resealed: string })[]): Promise<number>
  /** How many values each master key has sealed. */
  count(queries: Queries): Promise<{ masterKeyId: string; values: number }[]>
}

/** The values of a sealed column. */
export function sealedColumnStore(described: SealedColumn): SealedColumnStore {
  const { table, key, column, assignment, where = 'true', place } = described
  const contextOf = place ?? ((id: string) => `${table}|${id}|${column}`)
  const [from, id, sealed] = [raw(table), raw(`(${key})::text`), raw(`(${column})`)]
  const [set, condition] = [raw(assignment ?? `${column} = new_text`), raw(where)]
  return {
    name: `${table}.${column}`,
    list: (tx, masterKeyId, after, limit) =>
      list(tx, { from, id, sealed, condition }, { masterKeyId, after, limit }, contextOf),

    async replace(tx, values) {
      const rows = await tx.many(sql`
        update ${from} set ${set}
        from unnest(${values.map((value) => value.id)}::text[], ${values.map((value) => value.sealed)}::text[],
          ${values.map((value) => value.resealed)}::text[]) as renewed (renewed_id, old_text, new_text)
        where ${condition} and ${id} = renewed_id and ${sealed} = old_text
        returning 1`)
      return rows.length
    },

    count: (queries) =>
      queries.many(
        sql`
          select split_part(${sealed}, ':', 1) as "masterKeyId", count(*)::int as values
          from ${from} where ${condition} and ${sealed} is not null group by 1 order by 1`,
        { timeoutMs: 10_000 },
      ),
  }
}

async function list(
  tx: Queries,
  { from, id, sealed, condition }: { from: Sql; id: Sql; sealed: Sql; condition: Sql },
  { masterKeyId, after, limit }: { masterKeyId: string; after: string; limit: number },
  contextOf: (id: string) => string,
): Promise<SealedValue[]> {
  const rows = await tx.many<{ id: string; sealed: string }>(sql`
    select ${id} as id, ${sealed} as sealed from ${from}
    where ${condition} and ${id} > ${after} and ${sealed} is not null
      and not starts_with(${sealed}, ${`${masterKeyId}:`})
    order by ${id} limit ${limit} for update`)
  return rows.map((row) => ({ ...row, place: contextOf(row.id) }))
}

/** Waits until no other transaction seals again; none does then until this one ends. */
export const lockResealing = (tx: Queries): Promise<unknown> =>
  tx.many(sql`select pg_advisory_xact_lock(hashtextextended('gateway.master_keys', 0))`)
