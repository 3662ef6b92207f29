import { type Database, openDatabase, raw, sql } from '@platform/database'
import { systemClock } from '@platform/kernel'
import { type TestDatabase, testDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Audit, AuditEntry } from './audit.ts'
import { openAudit } from './open-audit.ts'

let database: TestDatabase
let audit: Audit
beforeAll(async () => {
  database = await testDatabase()
  audit = await openAudit({ database, clock: systemClock })
})
afterAll(() => database[Symbol.asyncDispose]())

const entry = (subject: string, changes: Partial<AuditEntry> = {}): AuditEntry => ({
  action: 'session.started',
  actor: 'user:ada',
  subject,
  ...changes,
})

/** Does what only somebody with the rights of the owner can, as if the platform were not there. */
const behindItsBack = (of: Database, statement: string) =>
  of.transaction(async (tx) => {
    await tx.many(raw('alter table audit.entries disable trigger user'))
    await tx.many(raw(statement))
    await tx.many(raw('alter table audit.entries enable always trigger entries_stay'))
  })

async function freshTrail(rows: number) {
  const own = await testDatabase()
  const trail = await openAudit({ database: own, clock: systemClock })
  await trail.note(...Array.from({ length: rows }, (_, at) => entry(`session:${at + 1}`)))
  return { own, trail }
}

/** Each pool lends a few connections to many who wait for one lock. */
const PATIENT = {
  allowWeakDurability: true,
  poolSize: 5,
  connectTimeoutMs: 10_000,
  statementTimeoutMs: 10_000,
}

describe('writing the trail', () => {
  test('keeps a row whole and answers it newest first', async () => {
    const details = { provider: 'prismeai', nested: { z: [1, null], a: 'é' } }
    await audit.note(entry('session:1', { ip: '192.0.2.1', correlationId: 'c-1', details }))
    await audit.note(entry('session:2'))
    const [second, first] = await audit.list({ limit: 2 })
    expect(first).toMatchObject({ subject: 'session:1', ip: '192.0.2.1', correlationId: 'c-1', details })
    expect(second).toMatchObject({ subject: 'session:2', ip: null, correlationId: null, details: {} })
    expect(second?.sequence).toBe((first?.sequence ?? 0) + 1)
  })

  test('finds rows by action, subject and actor, and pages', async () => {
    await audit.note(
      entry('accessToken:7', { action: 'accessToken.created', actor: 'user:grace' }),
      entry('accessToken:7', { action: 'accessToken.revoked', actor: 'user:grace' }),
    )
    const bySubject = await audit.list({ limit: 10, subject: 'accessToken:7' })
    expect(bySubject.map(({ action }) => action)).toEqual(['accessToken.revoked', 'accessToken.created'])
    const both = { action: 'accessToken.created', actor: 'user:grace' } as const
    expect(await audit.list({ limit: 10, ...both })).toHaveLength(1)
    expect(await audit.list({ limit: 10, before: bySubject[1]?.sequence, subject: 'accessToken:7' })).toEqual(
      [],
    )
  })

  test('keeps what a transaction tells of only when it commits', async () => {
    const failing = database.transaction(async (tx) => {
      await audit.record(tx, entry('session:undone'))
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    expect(await audit.list({ limit: 1, subject: 'session:undone' })).toEqual([])
    await database.transaction(async (tx) => audit.record(tx))
    expect((await audit.verify()).intact).toBe(true)
  })

  test('stays without a gap when 200 rows come from several pools at once', async () => {
    await using own = await testDatabase()
    const pools = await Promise.all(Array.from({ length: 4 }, () => openDatabase(own.url, PATIENT)))
    const trails = await Promise.all(pools.map((pool) => openAudit({ database: pool, clock: systemClock })))
    await Promise.all(
      Array.from({ length: 200 }, (_, at) => {
        const [pool, trail] = [pools[at % 4], trails[at % 4]]
        if (at % 8 < 4) return trail?.note(entry(`session:${at}`))
        return pool?.transaction(async (tx) => trail?.record(tx, entry(`session:${at}`)))
      }),
    )
    const rows = await trails[0]?.list({ limit: 500 })
    expect(rows?.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 200 }, (_, at) => 200 - at))
    expect(new Set(rows?.map(({ subject }) => subject)).size).toBe(200)
    expect(await trails[1]?.verify()).toMatchObject({ intact: true, entries: 200 })
    await Promise.all(pools.map((pool) => pool[Symbol.asyncDispose]()))
  })

  test('withstands text that no database keeps as it is', async () => {
    const text = 'half \ud800, NUL \0, combining e\u0301, \u202e, \u{1f511}'
    const details = {
      [text]: text,
      '10': 1,
      '9': 2,
      __proto__x: { toJSON: 'no function' },
      big: 1e300,
      tiny: -0,
    }
    await audit.note(
      entry(`account:${text}${'x'.repeat(5000)}`, { actor: text, ip: text, correlationId: text, details }),
    )
    const [row] = await audit.list({ limit: 1 })
    expect(row?.details).toEqual({ ...details, tiny: 0 })
    expect(row?.subject).toHaveLength(300)
    expect((await audit.verify()).intact).toBe(true)
  })

  test('writes equal details as equal texts', async () => {
    await audit.note(entry('session:a', { details: { b: { d: 1, c: 2 }, a: 3 } }))
    await audit.note(entry('session:b', { details: { a: 3, b: { c: 2, d: 1 } } }))
    const rows = await database.many<{ details: string }>(
      sql`select details from audit.entries order by sequence desc limit 2`,
    )
    expect(rows.map(({ details }) => details)).toEqual(Array(2).fill('{"a":3,"b":{"c":2,"d":1}}'))
  })
})

describe('the trail is append-only', () => {
  test.each([
    "update audit.entries set actor = 'user:mallory'",
    'delete from audit.entries where sequence = 1',
    'truncate audit.entries',
    'truncate audit.entries cascade',
  ])('%s is refused, as in a replication too', async (statement) => {
    await audit.note(entry('session:kept'))
    await expect(database.many(raw(statement))).rejects.toThrow('append-only')
    const replicated = database.transaction(async (tx) => {
      await tx.many(raw('set local session_replication_role = replica'))
      await tx.many(raw(statement))
    })
    await expect(replicated).rejects.toThrow('append-only')
    expect((await audit.verify()).intact).toBe(true)
  })
})

describe('verifying the trail', () => {
  test('finds nothing wrong with an empty one', async () => {
    const { own, trail } = await freshTrail(0)
    expect(await trail.verify()).toEqual({ intact: true, entries: 0, head: null, broken: null })
    await own[Symbol.asyncDispose]()
  })

  test.each([
    ["actor = 'user:mallory'"],
    ["details = '{ }'"],
    ["at = at + interval '1 millisecond'"],
    ["ip = '192.0.2.9'"],
    ["action = 'session.ended'"],
    ["hash = repeat('a', 64)"],
  ])('names the row in which %s was set behind its back', async (change) => {
    const { own, trail } = await freshTrail(1500)
    await behindItsBack(own, `update audit.entries set ${change} where sequence = 1234`)
    expect(await trail.verify()).toMatchObject({
      intact: false,
      entries: 1233,
      broken: { sequence: 1234, reason: 'Row 1234 was changed after it was written.' },
    })
    await own[Symbol.asyncDispose]()
  })

  test('names the row that was deleted, the first one too', async () => {
    const { own, trail } = await freshTrail(20)
    await behindItsBack(own, 'delete from audit.entries where sequence = 7')
    expect((await trail.verify()).broken).toEqual({ sequence: 7, reason: 'Row 7 is missing.' })
    await behindItsBack(own, 'delete from audit.entries where sequence = 1')
    expect((await trail.verify()).broken).toEqual({ sequence: 1, reason: 'Row 1 is missing.' })
    await own[Symbol.asyncDispose]()
  })

  test('names a row that was put before the first one', async () => {
    const { own, trail } = await freshTrail(3)
    await behindItsBack(
      own,
      'insert into audit.entries select 0, at, action, actor, subject, ip, correlation_id, details, hash ' +
        'from audit.entries where sequence = 1',
    )
    expect((await trail.verify()).broken).toMatchObject({ sequence: 0 })
    await own[Symbol.asyncDispose]()
  })

  test('finds a tail that was cut off when it is given the head noted before', async () => {
    const { own, trail } = await freshTrail(20)
    const noted = (await trail.verify()).head ?? ''
    await trail.note(entry('session:later'))
    expect(await trail.verify(noted)).toMatchObject({ intact: true, entries: 21 })
    await behindItsBack(own, 'delete from audit.entries where sequence > 15')
    expect(await trail.verify()).toMatchObject({ intact: true, entries: 15 })
    expect(await trail.verify(noted)).toMatchObject({
      intact: false,
      broken: { sequence: 16, reason: expect.stringContaining('No row has the hash that was noted') },
    })
    await own[Symbol.asyncDispose]()
  })
})
