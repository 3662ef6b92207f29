import { type Queries, type Sql, sql } from '@platform/database'
import { type CopiedDocument, SearchError } from '../search.ts'
import { type Filling, fillWithin } from './fill-words.ts'

/**
 * SQL that selects documents of the same database by their ids: `place` in this list, counted from 1, `id`, `record`
 * (JSON), `words` (a `tsvector`, null where nobody has worked it out) and `vocabulary`. What isn't there is left out.
 */
export type SelectDocuments = (ids: readonly string[]) => Sql

/**
 * Copies documents with what they are found by: neither leaves the database. Where words are missing, or the
 * vocabulary they need, they are made here.
 */
export async function copy(
  tx: Queries,
  documents: readonly CopiedDocument[],
  select: SelectDocuments,
): Promise<void> {
  const ids = documents.map(({ id }) => id)
  const streams = documents.map(({ stream }) => stream)
  const [copied] = await tx.many<{ count: number; wordless: string[] | null }>(sql`
    with known as materialized (
      select array(select id from search.vocabularies where stream = any(${[...new Set(streams)]}::text[])) as ids
    ), copied as (
      insert into search.documents (id, stream, document, words, vocabulary)
      select source.id, (${streams}::text[])[source.place], source.record::jsonb,
        case when source.vocabulary is null or source.vocabulary = any(known.ids) then source.words end,
        case when source.vocabulary = any(known.ids) then source.vocabulary end
      from known, (${select(ids)}) as source
      order by source.place
      on conflict do nothing
      returning id, words is null as "isWordless"
    )
    select count(*)::int as count, array_agg(id) filter (where "isWordless") as wordless from copied`)
  if ((copied?.count ?? 0) < ids.length) await requireAll(tx, ids)
  if (copied?.wordless) await fillWithin(tx, await documentsOf(tx, copied.wordless))
}

/** Some were there before, or are missing. */
async function requireAll(tx: Queries, ids: readonly string[]): Promise<void> {
  const [missing] = await tx.many<{ id: string }>(sql`
    select id from unnest(${ids}::uuid[]) as asked (id)
    where not exists (select from search.documents where documents.id = asked.id) limit 1`)
  if (missing === undefined) return
  throw new SearchError(`There is no event ${missing.id} to copy into the log.`, { unavailable: false })
}

const documentsOf = (tx: Queries, ids: readonly string[]): Promise<Filling[]> =>
  tx.many<Filling>(sql`select id, document from search.documents where id = any(${ids}::uuid[])`)
