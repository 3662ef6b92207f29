import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Database } from '../src/database.ts'
import { migrate } from '../src/migrate.ts'
import { raw, sql } from '../src/sql.ts'
import { failureOf, unique } from './conformance-tools.ts'

/** Migrating, alone and with others at the same time. */
export function migrationConformance(name: string, connect: () => Promise<Database>): void {
  describe(`${name}: migrating`, () => {
    const files = async (contents: Record<string, string>) => {
      const directory = await mkdtemp(join(tmpdir(), 'migrations with space-'))
      for (const [file, text] of Object.entries(contents)) await writeFile(join(directory, file), text)
      return {
        url: pathToFileURL(`${directory}/`),
        directory,
        [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
      }
    }

    it('runs each file once, however many handles migrate several schemas at the same time', async () => {
      const schemas = [unique('one'), unique('two')]
      const handles = await Promise.all([connect(), connect(), connect(), connect()])
      await Promise.all(
        handles.flatMap((handle) =>
          schemas.map(async (schema) => {
            await using migrations = await files({
              '0001_create_things.sql': `-- up migration\ncreate table ${schema}.things (n int);`,
              '0002_fill.sql': `insert into ${schema}.things values (1); select pg_sleep(0.2);\n-- down migration`,
            })
            await migrate(handle, { schema, directory: migrations.url })
          }),
        ),
      )
      for (const schema of schemas) {
        expect(await handles[0]?.many(sql`select n from ${raw(schema)}.things`)).toEqual([{ n: 1 }])
      }
      await Promise.all(handles.map((handle) => handle[Symbol.asyncDispose]()))
    })

    it('adds what is new, leaves nothing of a file that fails and names it', async () => {
      await using database = await connect()
      const schema = unique('steps')
      await using migrations = await files({ '0001_a.sql': 'create table a (n int);' })
      await migrate(database, { schema, directory: migrations.url })
      await writeFile(
        join(migrations.directory, '0002_b.sql'),
        'create table b (n int); select * from nowhere;',
      )
      const failure = await failureOf(migrate(database, { schema, directory: migrations.url }))
      expect(failure.message).toMatch(
        /Migration "0002_b" of schema ".*" failed: relation "nowhere" does not exist/,
      )
      await writeFile(join(migrations.directory, '0002_b.sql'), 'create table b (n int);')
      await migrate(database, { schema, directory: migrations.url })
      expect(await database.many(sql`select * from ${raw(schema)}.b`)).toEqual([])
    })

    it('refuses a schema made by a newer version', async () => {
      await using database = await connect()
      const schema = unique('newer')
      await using newer = await files({ '0001_a.sql': 'select 1;', '0002_b.sql': 'select 1;' })
      await using older = await files({ '0001_a.sql': 'select 1;' })
      await migrate(database, { schema, directory: newer.url })
      const failure = await failureOf(migrate(database, { schema, directory: older.url }))
      expect(failure.message).toContain(`The database schema "${schema}" was made by a newer version`)
    })
  })
}
