import { type Database, migrate, raw } from '@platform/database'
import { startTestService, testDatabase } from '@platform/testing'
import { describe, expect, test } from 'vitest'
import { loadService } from './services.ts'

/** Those that keep something. */
const services = (await Promise.all(Object.values(loadService).map((load) => load()))).filter(
  ({ migrations = [] }) => migrations.length > 0,
)

/** Every migration that ran in a database, with its schema. */
async function ranIn(database: Database): Promise<string[]> {
  const tables = await database.many<{ schema: string }>(
    raw(`select schemaname as schema from pg_tables where tablename = 'migrations' order by schema`),
  )
  const names = await Promise.all(
    tables.map(async ({ schema }) => {
      const rows = await database.many<{ name: string }>(raw(`select name from ${schema}.migrations`))
      return rows.map(({ name }) => `${schema} ${name}`)
    }),
  )
  return names.flat().sort()
}

/** Says that a newer version has run a migration in a schema. */
const addNewer = (database: Database, schema: string) =>
  database.many(raw(`insert into ${schema}.migrations (name, run_on) values ('9999_add_more', now())`))

describe('a database that a newer version has migrated', () => {
  test.each(services.map((service) => [service.name, service] as const))(
    'is used by %s where it was only added to, and readiness says so',
    async (_, service) => {
      await using database = await testDatabase()
      for (const migrations of service.migrations ?? []) await migrate(database, migrations)
      await addNewer(database, 'outbox')
      const env = { ADMIN_PASSWORD: 'correct horse battery staple' }
      await using running = await startTestService(service, { databaseUrl: database.url, env })
      const headers = running.headersOf({ kind: 'internal' })
      const report = await (await fetch(`${running.url}/sys/readiness`, { headers })).json()
      expect(report).toMatchObject({
        modulesReady: expect.arrayContaining([{ module: 'migrations', driver: 'postgres' }]),
        warnings: expect.arrayContaining([
          {
            module: 'migrations',
            driver: 'postgres',
            message:
              'A newer version has migrated the schema "outbox" (9999_add_more); this one may run beside it.',
          },
        ]),
      })
    },
  )
})

describe('migrating', () => {
  test.each(services.map((service) => [service.name, service] as const))(
    'does everything that the start of %s would',
    async (_, service) => {
      await using database = await testDatabase()
      for (const migrations of service.migrations ?? []) await migrate(database, migrations)
      const before = await ranIn(database)
      const env = { ADMIN_PASSWORD: 'correct horse battery staple' }
      await using _running = await startTestService(service, { databaseUrl: database.url, env })
      expect(before.length).toBeGreaterThan(0)
      expect(await ranIn(database)).toEqual(before)
    },
  )
})
