import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Queries } from './database.ts'
import { DatabaseError } from './database-error.ts'

export { empty, join, raw, type Sql, sql }

/** The only row of a statement that always returns one, for example `insert … returning`. */
export async function one<Row>(queries: Queries, statement: Sql): Promise<Row> {
  const [row] = await queries.many<Row>(statement)
  if (row === undefined)
    throw new DatabaseError('A statement that must answer a row answered none.', { unavailable: false })
  return row
}
