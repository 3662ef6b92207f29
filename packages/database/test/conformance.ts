import { describe, expect, it } from 'vitest'
import type { Database } from '../src/database.ts'
import { DatabaseError, isUniqueViolation } from '../src/database-error.ts'
import { one, raw, sql } from '../src/sql.ts'
import { textArray, vectorArray } from '../src/text-array.ts'
import { failureOf, unique } from './conformance-tools.ts'
import { migrationConformance } from './migration-conformance.ts'
import { sessionConformance } from './session-conformance.ts'

/** A vector in the form that the server reads: how many lexemes, and behind each that it has no positions. */
function vectorOf(lexemes: readonly string[]): Buffer {
  const count = Buffer.alloc(4)
  count.writeInt32BE(lexemes.length)
  return Buffer.concat([count, ...lexemes.map((lexeme) => Buffer.from(`${lexeme}\0\0\0`))])
}

/** What every driver of the database port keeps, proved on a real server; `connect` opens a new handle at each call. */
export function databaseConformance(name: string, connect: () => Promise<Database>): void {
  describe(`${name}: statements`, () => {
    it('turns columns into JavaScript values', async () => {
      await using database = await connect()
      const when = new Date('2026-11-20T10:11:12.345Z')
      const row = await one<Record<string, unknown>>(
        database,
        sql`select 9007199254740991::bigint as safe, 9007199254740993::bigint as unsafe, ${when}::timestamptz as at,
          ${JSON.stringify({ a: [1] })}::jsonb as json, '2026-11-20'::date as day, null as nothing,
          ${[1, 2]}::int[] as list`,
      )
      expect(row).toEqual({
        safe: Number.MAX_SAFE_INTEGER,
        unsafe: '9007199254740993',
        at: when,
        json: { a: [1] },
        day: '2026-11-20',
        nothing: null,
        list: [1, 2],
      })
    })

    it.each([[[]], [['']], [['a', '"quoted", {braced} \\ NULL', 'é 🚀', 'x'.repeat(100_000)]]])(
      'takes long texts as they are (%#)',
      async (texts) => {
        await using database = await connect()
        const rows = await database.many<{ text: string }>(
          sql`select text from unnest(${textArray(texts)}::text[]) with ordinality as t (text, n) order by n`,
        )
        expect(rows.map(({ text }) => text)).toEqual(texts)
      },
    )

    it('takes vectors of lexemes in any order, as if they were texts', async () => {
      await using database = await connect()
      const vectors = [
        ['word'],
        ['b', 'a', '=', '=9z', '*', '𝒳', 'ﬀ', 'é'],
        [],
        ['ab', 'a', 'x'.repeat(2000)],
      ]
      const texts = vectors.map((lexemes) => lexemes.join(' '))
      const rows = await database.many<{ isEqual: boolean; found: boolean }>(
        sql`select vector = text::tsvector as "isEqual", vector @@ 'a'::tsquery as found
          from unnest(${vectorArray(vectors.map(vectorOf))}::tsvector[], ${textArray(texts)}::text[])
            with ordinality as t (vector, text, n) order by n`,
      )
      expect(rows.map(({ isEqual }) => isEqual)).toEqual([true, true, true, true])
      expect(rows.map(({ found }) => found)).toEqual([false, true, false, true])
    })

    it('tells a taken value from a server that is away, and goes on with the same connection', async () => {
      await using database = await connect()
      const table = raw(unique('things'))
      await database.many(sql`create table ${table} (name text primary key)`)
      const session = sql`select pg_backend_pid() as pid`
      const before = await one(database, session)
      for (let round = 0; round < 5; round += 1) {
        const failure = await failureOf(database.many(sql`insert into ${table} values (${'a'}), (${'a'})`))
        expect(isUniqueViolation(failure)).toBe(true)
        expect(failure.unavailable).toBe(false)
      }
      expect(await one(database, session)).toEqual(before)
      await database.many(sql`drop table ${table}`)
    })

    it('names a wrong statement in an error that is not "unavailable"', async () => {
      await using database = await connect()
      const failure = await failureOf(database.many(sql`select * from there_is_no_such_table`))
      expect(failure).toBeInstanceOf(DatabaseError)
      expect(failure).toMatchObject({ name: 'DatabaseError', code: '42P01', unavailable: false })
    })

    it('ends a statement that takes too long, and lets one take longer when told so', async () => {
      await using database = await connect()
      const startedAt = performance.now()
      const failure = await failureOf(database.many(sql`select pg_sleep(10)`))
      expect(failure.unavailable).toBe(true)
      expect(performance.now() - startedAt).toBeLessThan(3000)
      await database.many(sql`select pg_sleep(2.5)`, { timeoutMs: 5000 })
      const [limit] = await database.many<{ statement_timeout: string }>(sql`show statement_timeout`)
      expect(limit?.statement_timeout).toBe('1850ms')
    })

    it('survives a migration that changes the columns of a prepared statement', async () => {
      await using database = await connect()
      const table = raw(unique('things'))
      await database.many(sql`create table ${table} (a int)`)
      const all = sql`select * from ${table}`
      for (let round = 0; round < 5; round += 1) await database.many(all)
      await database.many(sql`alter table ${table} add column b int`)
      await database.many(sql`insert into ${table} values (1, 2)`)
      expect(await database.many(all)).toEqual([{ a: 1, b: 2 }])
      await database.many(sql`drop table ${table}`)
    })

    it('answers many at once', async () => {
      await using database = await connect()
      const answers = await Promise.all(
        Array.from({ length: 300 }, (_, index) =>
          one<{ n: number }>(database, sql`select ${index}::int as n`),
        ),
      )
      expect(answers.map(({ n }) => n)).toEqual(Array.from({ length: 300 }, (_, index) => index))
    })

    it('stops waiting for a ping when told so, and refuses work after the end', async () => {
      const database = await connect()
      await database.ping(AbortSignal.timeout(2000))
      expect((await failureOf(database.ping(AbortSignal.abort()))).unavailable).toBe(true)
      await database[Symbol.asyncDispose]()
      expect((await failureOf(database.many(sql`select 1`))).unavailable).toBe(true)
      await database[Symbol.asyncDispose]()
    })
  })

  describe(`${name}: transactions`, () => {
    it('commits all or nothing', async () => {
      await using database = await connect()
      const table = raw(unique('things'))
      await database.many(sql`create table ${table} (n int)`)
      await database.transaction(async (tx) => {
        await tx.many(sql`insert into ${table} values (1)`)
        await tx.many(sql`insert into ${table} values (2)`)
      })
      const reason = new Error('the caller changed its mind')
      const failed = database.transaction(async (tx) => {
        await tx.many(sql`insert into ${table} values (3)`)
        throw reason
      })
      await expect(failed).rejects.toBe(reason)
      expect(await database.many(sql`select n from ${table} order by n`)).toEqual([{ n: 1 }, { n: 2 }])
      await database.many(sql`drop table ${table}`)
    })

    it('fails when a failed statement inside was ignored, instead of losing the rest in silence', async () => {
      await using database = await connect()
      const ignoring = database.transaction(async (tx) => {
        await tx.many(sql`select 1 / 0`).catch(() => undefined)
        return 'done'
      })
      expect((await failureOf(ignoring)).message).toContain('undone')
    })

    it('fails with what failed first, whichever of several statements sent together is noticed first', async () => {
      await using database = await connect()
      const together = database.transaction(async (tx) => {
        const failing = async () => await tx.many(sql`select 1 / 0`)
        await Promise.all([tx.many(sql`select 1`), failing(), tx.many(sql`select 2`)])
      })
      expect((await failureOf(together)).code).toBe('22012')
    })

    it('refuses statements of a transaction after its end', async () => {
      await using database = await connect()
      const tx = await database.transaction(async (queries) => queries)
      expect((await failureOf(tx.many(sql`select 1`))).message).toContain('after its end')
    })

    it('keeps its own limit for long work', async () => {
      await using database = await connect()
      await database.transaction((tx) => tx.many(sql`select pg_sleep(2.3)`), { timeoutMs: 5000 })
    })

    it('ends waiting for a lock another handle holds', async () => {
      await using first = await connect()
      await using second = await connect()
      const lock = sql`select pg_advisory_xact_lock(hashtextextended(${unique('lock')}, 0))`
      const startedAt = performance.now()
      const failure = await first.transaction(async (tx) => {
        await tx.many(lock)
        return failureOf(second.transaction((other) => other.many(lock)))
      })
      expect(failure).toMatchObject({ code: '55P03', unavailable: true })
      expect(performance.now() - startedAt).toBeLessThan(3000)
    })
  })

  sessionConformance(name, connect)
  migrationConformance(name, connect)
}
