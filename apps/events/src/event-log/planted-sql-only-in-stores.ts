import { type Database, sql } from '@platform/database'
export const planted = (database: Database) => database.many(sql`select 1`)
