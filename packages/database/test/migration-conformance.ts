import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
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

    it('accepts what a newer version has added, names it and leaves it as it is', async () => {
      await using database = await connect()
      const schema = unique('added')
      const first = { '0001_a.sql': 'create table a (n int);' }
      await using older = await files(first)
      await using newer = await files({ ...first, '0002_b.sql': 'alter table a add column m int;' })
      expect(await migrate(database, { schema, directory: newer.url })).toEqual({
        ...{ schema, ran: ['0001_a', '0002_b'], newer: [] },
      })
      expect(await migrate(database, { schema, directory: older.url })).toEqual({
        ...{ schema, ran: [], newer: ['0002_b'] },
      })
      expect(await database.many(sql`select n, m from ${raw(schema)}.a`)).toEqual([])
      expect(await migrate(database, { schema, directory: newer.url })).toMatchObject({ ran: [], newer: [] })
    })

    it('accepts what a newer version has removed only where this one knows that it is not used any more', async () => {
      await using database = await connect()
      const schema = unique('removed')
      const first = { '0001_a.sql': 'create table a (n int, m int);' }
      const second = {
        ...first,
        '0002_retire_m.sql': `comment on column ${schema}.a.m is 'not used any more';`,
      }
      await using oldest = await files(first)
      await using older = await files(second)
      await using newer = await files({
        ...second,
        '0003_drop_m.sql': '-- Nobody reads it.\n-- needs: 0002_retire_m\nalter table a drop column m;',
        '0004_add_o.sql': 'alter table a add column o int;',
      })
      await migrate(database, { schema, directory: newer.url })
      expect(await migrate(database, { schema, directory: older.url })).toMatchObject({
        newer: ['0003_drop_m', '0004_add_o'],
      })
      const failure = await failureOf(migrate(database, { schema, directory: oldest.url }))
      expect(failure.message).toBe(
        `The database schema "${schema}" was changed by a newer version of this program: it has "0003_drop_m", ` +
          'beside which only versions can run that know "0002_retire_m", and this one does not; ' +
          'start a newer version or restore a backup.',
      )
      expect(failure).toMatchObject({ name: 'DatabaseError', unavailable: false })
    })

    it('migrates on from what an older version has made, whatever was removed meanwhile', async () => {
      await using database = await connect()
      const schema = unique('onward')
      const first = { '0001_a.sql': 'create table a (n int, m int);' }
      await using oldest = await files(first)
      await using newest = await files({
        ...first,
        '0002_retire_m.sql': 'select 1;',
        '0003_drop_m.sql': '-- needs: 0002_retire_m\nalter table a drop column m;',
      })
      await migrate(database, { schema, directory: oldest.url })
      await migrate(database, { schema, directory: newest.url })
      expect(
        await database.many(sql`select name, needs from ${raw(schema)}.migrations order by name`),
      ).toEqual([
        { name: '0001_a', needs: null },
        { name: '0002_retire_m', needs: null },
        { name: '0003_drop_m', needs: '0002_retire_m' },
      ])
    })

    it('lets others use a table that it waits for, and goes on when it is free', async () => {
      await using database = await connect()
      await using others = await connect()
      await using holder = await connect()
      const schema = unique('waits')
      await using migrations = await files({ '0001_a.sql': 'create table a (n int);' })
      await migrate(database, { schema, directory: migrations.url })
      await writeFile(join(migrations.directory, '0002_b.sql'), 'create table b (n int);')
      await writeFile(join(migrations.directory, '0003_c.sql'), 'alter table a add column m int;')
      const free = await hold(holder, `${schema}.a`)
      const migrated = migrate(database, { schema, directory: migrations.url })
      await vi.waitFor(async () => expect(await isAwaited(others, `${schema}.a`)).toBe(true), 5000)
      // Behind one that waits without an end this statement would wait until its own limit.
      expect(await others.many(sql`select * from ${raw(schema)}.a`)).toEqual([])
      await free()
      expect(await migrated).toEqual({ schema, ran: ['0002_b', '0003_c'], newer: [] })
      expect(await others.many(sql`select n, m from ${raw(schema)}.a`)).toEqual([])
    })

    it('gives up in the end, and says which transaction to look for', async () => {
      await using database = await connect()
      await using holder = await connect()
      const schema = unique('never')
      await using migrations = await files({ '0001_a.sql': 'create table a (n int);' })
      await migrate(database, { schema, directory: migrations.url })
      await writeFile(join(migrations.directory, '0002_b.sql'), 'alter table a add column m int;')
      const free = await hold(holder, `${schema}.a`)
      const failure = await failureOf(
        migrate(database, { schema, directory: migrations.url, timeoutMs: 300 }),
      )
      await free()
      expect(failure.message).toBe(
        `Migration "0002_b" of schema "${schema}" tried for 300 ms to lock a table that others use, and was undone; ` +
          'try again when the longest transaction of pg_stat_activity has ended (a backup, a query by hand), or end ' +
          'it.',
      )
      expect(failure).toMatchObject({ name: 'DatabaseError', unavailable: true, code: '55P03' })
    })
  })
}

/** Reads from a table in a transaction that lasts until the returned function is called, as a backup does. */
async function hold(database: Database, table: string): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const reading = database.transaction(
    async (tx) => {
      await tx.many(sql`select * from ${raw(table)}`)
      held.resolve()
      await released.promise
    },
    { readOnly: true },
  )
  await Promise.race([held.promise, reading])
  return async () => {
    released.resolve()
    await reading
  }
}

/** True while a session waits to have a table for itself. */
async function isAwaited(database: Database, table: string): Promise<boolean> {
  const waiting = await database.many(sql`
    select 1 from pg_locks
    where not granted and relation = ${table}::regclass and mode = 'AccessExclusiveLock'`)
  return waiting.length > 0
}
