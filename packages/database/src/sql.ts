import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Queries } from './database.ts'
import { DatabaseError } from './database-error.ts'

export { empty, join, raw, type Sql, sql }

/**
 * The condition that a column of texts has one of these values. One alone is compared as such: of a list PostgreSQL
 * guesses ten when it makes the plan that is kept for all values, finds that dear, and plans each statement anew, which
 * takes longer than to look one value up.
 */
export const among = (column: Sql, values: readonly string[]): Sql =>
  values.length === 1 ? sql`${column} = ${values[0]}` : sql`${column} = any(${values}::text[])`

/** The only row of a statement that always returns one, for example `insert … returning`. */
export async function one<Row>(queries: Queries, statement: Sql): Promise<Row> {
  const [row] = await queries.many<Row>(statement)
  if (row === undefined)
    throw new DatabaseError('A statement that must answer a row answered none.', { unavailable: false })
  return row
}
