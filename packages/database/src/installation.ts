import type { Database } from './database.ts'
import { type Migrations, migrate } from './migrate.ts'
import { one, sql } from './sql.ts'

/** Which database this is. */
export const installationMigrations: Migrations = {
  schema: 'installation',
  directory: new URL('../migrations/', import.meta.url),
}

/** A database of the platform, told from every other one. */
export interface Installation {
  id: string
  /** True while no service has ever kept anything in it. */
  isEmpty: boolean
}

/** Asks a database which one it is; the first who asks gives it its id. */
export async function installationOf(database: Database): Promise<Installation> {
  await migrate(database, installationMigrations)
  const found = await one<{ id: string; hasUsers: boolean }>(
    database,
    sql`select id, to_regclass('gateway.users') is not null as "hasUsers" from installation.identity`,
  )
  const [user] = found.hasUsers ? await database.many(sql`select 1 as found from gateway.users limit 1`) : []
  return { id: found.id, isEmpty: user === undefined }
}
