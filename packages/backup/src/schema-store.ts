import { type Queries, raw, sql } from '@platform/database'
import { fileKeys, MIGRATIONS, quoted, quotedTable, tableRules } from './contents.ts'
import type { BackupTable, Manifest } from './manifest.ts'

/** The tables of schemas, without the lists of migrations, in an order in which they can be filled. */
export async function listTables(queries: Queries, schemas: readonly string[]): Promise<BackupTable[]> {
  const tables = await queries.many<{ name: string; columns: string[] }>(sql`
    select n.nspname || '.' || c.relname as name, array(
      select a.attname::text from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any(${schemas}::text[]) and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> ${MIGRATIONS}
    order by 1`)
  const partitions = await queries.many<{ table: string; name: string; bounds: string }>(sql`
    select n.nspname || '.' || parent.relname as table, child.relname as name,
      pg_get_expr(child.relpartbound, child.oid) as bounds
    from pg_inherits i
    join pg_class parent on parent.oid = i.inhparent join pg_namespace n on n.oid = parent.relnamespace
    join pg_class child on child.oid = i.inhrelid
    where n.nspname = any(${schemas}::text[]) and parent.relkind = 'p' and child.relkind = 'r'
      and pg_get_expr(child.relpartbound, child.oid) <> 'DEFAULT'
    order by 1, 2`)
  const described = tables.map(({ name, columns }) => ({
    name,
    columns,
    partitions: partitions
      .filter(({ table }) => table === name)
      .map(({ name: child, bounds }) => ({ name: child, bounds })),
  }))
  return inOrder(described, await listReferences(queries, schemas))
}

const listReferences = (queries: Queries, schemas: readonly string[]) =>
  queries.many<{ table: string; refersTo: string }>(sql`
    select n.nspname || '.' || c.relname as table, fn.nspname || '.' || f.relname as "refersTo"
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
    join pg_class f on f.oid = k.confrelid join pg_namespace fn on fn.oid = f.relnamespace
    where k.contype = 'f' and n.nspname = any(${schemas}::text[]) and k.conrelid <> k.confrelid`)

/** A table comes after those it refers to. */
function inOrder(
  tables: readonly BackupTable[],
  references: readonly { table: string; refersTo: string }[],
): BackupTable[] {
  const ordered: BackupTable[] = []
  const left = new Set(tables)
  while (left.size > 0) {
    const names = new Set([...left].map(({ name }) => name))
    const free = [...left].filter(
      ({ name }) => !references.some(({ table, refersTo }) => table === name && names.has(refersTo)),
    )
    if (free.length === 0)
      throw new Error(`Tables refer to one another in a circle: ${[...names].join(', ')}.`)
    for (const table of free) left.delete(table)
    ordered.push(...free)
  }
  return ordered
}

/** Those of the schemas that are there, with the migrations that made them. */
export async function listMigrated(
  queries: Queries,
  schemas: readonly string[],
): Promise<Manifest['schemas']> {
  const present = await queries.many<{ name: string }>(sql`
    select n.nspname as name from pg_namespace n
    join pg_class c on c.relnamespace = n.oid and c.relname = ${MIGRATIONS}
    where n.nspname = any(${schemas}::text[]) order by 1`)
  const found: Manifest['schemas'] = []
  for (const { name } of present) {
    const rows = await queries.many<{ name: string }>(
      raw(`select name from ${quoted(name)}.${MIGRATIONS} order by name`),
    )
    found.push({ name, migrations: rows.map((row) => row.name) })
  }
  return found
}

/** Where the sequences are; never behind the rows of a snapshot that is older than the question. */
export const listSequences = (queries: Queries, schemas: readonly string[]): Promise<Manifest['sequences']> =>
  queries.many(sql`
    select schemaname || '.' || sequencename as name, last_value as value from pg_sequences
    where schemaname = any(${schemas}::text[]) and last_value is not null order by 1`)

/** The first table with rows that no migration has put there; undefined where all are empty. */
export async function findFilledTable(
  queries: Queries,
  schemas: readonly string[],
): Promise<string | undefined> {
  for (const { name } of await listTables(queries, schemas)) {
    if (tableRules[name]?.isSeeded === true) continue
    const [row] = await queries.many(raw(`select 1 as found from ${quotedTable(name)} limit 1`))
    if (row !== undefined) return name
  }
  return undefined
}

/** How many files the tables refer to. */
export async function countFileKeys(queries: Queries, tables: ReadonlySet<string>): Promise<number> {
  let count = 0
  for (const { table, key } of fileKeys) {
    if (!tables.has(table)) continue
    const [row] = await queries.many<{ count: number }>(
      raw(`select count(${key})::int as count from ${quotedTable(table)}`),
    )
    count += row?.count ?? 0
  }
  return count
}
