import { type Queries, type Sql, sql, textArray, vectorArray } from '@platform/database'
import { SearchError } from '../search.ts'
import { type Filling, fillWithin } from './fill-words.ts'
import type { DocumentWords } from './vocabularies.ts'

/**
 * SQL that selects documents of the same database by their ids: `place` in this list, counted from 1, `id`, `record`
 * (JSON), `words` (a `tsvector`, null where nobody has worked it out) and `vocabulary`. What isn't there is left out.
 */
export type SelectDocuments = (ids: readonly string[]) => Sql

/** A document among others of a statement. */
interface OrderedDocument {
  readonly place: number
  readonly id: string
  readonly stream: string
}

/** A document as it is sent. */
export interface WrittenDocument extends OrderedDocument, DocumentWords {
  readonly text: string
}

/** Documents of one statement: those that are sent, and those that are copied. */
export interface DocumentsInOrder {
  readonly written: WrittenDocument[]
  readonly copied: OrderedDocument[]
}

/** A `select` of documents that are sent with it: `place`, `id`, `stream`, `document`, `words` and `vocabulary`. */
export function selectWritten(documents: readonly WrittenDocument[]): Sql {
  const vocabularies = documents.map(({ vocabulary }) => vocabulary?.id ?? null)
  return sql`
    select input.place, input.id, input.stream, input.document::jsonb as document, input.words, input.vocabulary
    from unnest(${documents.map(({ place }) => place)}::int[], ${documents.map(({ id }) => id)}::uuid[],
        ${documents.map(({ stream }) => stream)}::text[], ${textArray(documents.map(({ text }) => text))}::text[],
        ${vectorArray(documents.map(({ own }) => own))}::tsvector[], ${vocabularies}::uuid[])
      as input (place, id, stream, document, words, vocabulary)`
}

/**
 * Inserts documents of which some are copied, with what they are found by: those never leave the database. Where their
 * words are missing, or the vocabulary they need, they are made here.
 */
export async function insertAndCopy(
  tx: Queries,
  { written, copied }: DocumentsInOrder,
  select: SelectDocuments,
): Promise<void> {
  const ids = copied.map(({ id }) => id)
  const streams = copied.map(({ stream }) => stream)
  const places = copied.map(({ place }) => place)
  const [done] = await tx.many<{ count: number; wordless: string[] | null }>(sql`
    with known as materialized (
      select array(select id from search.vocabularies where stream = any(${[...new Set(streams)]}::text[])) as ids
    ), done as (
      insert into search.documents (id, stream, document, words, vocabulary)
      select id, stream, document, words, vocabulary
      from (
        ${selectWritten(written)}
        union all
        select (${places}::int[])[source.place], source.id, (${streams}::text[])[source.place], source.record::jsonb,
          case when source.vocabulary is null or source.vocabulary = any(known.ids) then source.words end,
          case when source.vocabulary = any(known.ids) then source.vocabulary end
        from known, (${select(ids)}) as source
      ) as input
      order by place
      on conflict do nothing
      returning id, words is null as "isWordless"
    )
    select count(*)::int as count, array_agg(id) filter (where "isWordless") as wordless from done`)
  if ((done?.count ?? 0) < ids.length + written.length) await requireAll(tx, ids)
  if (done?.wordless) await fillWithin(tx, await documentsOf(tx, done.wordless))
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
