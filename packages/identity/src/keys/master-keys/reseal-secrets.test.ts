import { openAudit } from '@platform/audit'
import { migrate, sql } from '@platform/database'
import { systemClock } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { type MasterKeyRing, masterKeyRing } from '@platform/master-keys'
import { type TestDatabase, templateDatabase, testDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sealedColumns } from '../../sealed-columns.ts'
import { resealRound, resealSecrets } from './reseal-secrets.ts'
import { sealedColumnStore } from './sealed-column-store.ts'

const key = (id: string, fill: number) => ({ id, key: Buffer.alloc(32, fill) })
const oldRing = masterKeyRing([key('old', 1)])
const newRing = masterKeyRing([key('new', 2), key('old', 1)])
const log = createLogger({ level: 'silent' })

let database: TestDatabase
beforeAll(async () => {
  const migrations = new URL('../../../migrations/', import.meta.url)
  const prepare = (fresh: Parameters<typeof migrate>[0]) =>
    migrate(fresh, { schema: 'gateway', directory: migrations })
  database = await testDatabase(await templateDatabase('gateway resealing', prepare))
  await database.many(sql`create table gateway.notes (id int primary key, secret text)`)
})
afterAll(() => database[Symbol.asyncDispose]())

const notes = sealedColumnStore({ table: 'gateway.notes', key: 'id', column: 'secret' })
const placeOf = (id: number) => `gateway.notes|${id}|secret`

async function keep(ring: MasterKeyRing, count: number) {
  await database.many(sql`delete from gateway.notes`)
  const ids = Array.from({ length: count }, (_, at) => at)
  const secrets = ids.map((id) => ring.seal(`secret ${id}`, placeOf(id)))
  await database.many(sql`insert into gateway.notes select * from unnest(${ids}::int[], ${secrets}::text[])`)
}

const all = () =>
  database.many<{ id: number; secret: string }>(sql`select id, secret from gateway.notes order by id`)

const trail = async () => {
  const audit = await openAudit({ database, clock: systemClock })
  return { audit, rows: await audit.list({ limit: 100, action: 'masterKey.resealed' }) }
}

async function depsWith(masterKeys: MasterKeyRing) {
  const { audit } = await trail()
  return { database, masterKeys, audit, log, columns: [notes] }
}

describe('a new master key', () => {
  test('seals again what the old one has sealed, however many instances try, and tells it once', async () => {
    await keep(oldRing, 1234)
    const before = (await trail()).rows.length
    const deps = await depsWith(newRing)
    await Promise.all(Array.from({ length: 4 }, () => resealSecrets(deps).run(new AbortController().signal)))
    await resealSecrets(deps).run(new AbortController().signal)
    const alone = masterKeyRing([key('new', 2)])
    for (const { id, secret } of await all()) expect(alone.open(secret, placeOf(id))).toBe(`secret ${id}`)
    const { rows } = await trail()
    expect(rows.slice(0, rows.length - before)).toMatchObject([
      { actor: 'platform', subject: 'masterKey:new', details: { values: { 'gateway.notes.secret': 1234 } } },
    ])
  })

  test('leaves what can not be opened as it is, and goes on with the rest', async () => {
    await keep(oldRing, 3)
    await database.many(sql`update gateway.notes set secret = 'lost:AAAA' where id = 1`)
    await database.many(sql`insert into gateway.notes values (10, null)`)
    expect(await resealRound(await depsWith(newRing))).toBe(false)
    const secrets = (await all()).map(({ secret }) => secret?.split(':')[0])
    expect(secrets).toEqual(['new', 'lost', 'new', undefined])
  })

  test('does not undo what was written meanwhile', async () => {
    await keep(oldRing, 1)
    const [value] = await database.transaction((tx) => notes.list(tx, 'new', '', 10))
    const fresh = newRing.seal('written meanwhile', placeOf(0))
    await database.many(sql`update gateway.notes set secret = ${fresh}`)
    const stale = { id: '0', place: placeOf(0), sealed: value?.sealed ?? '', resealed: 'new:stale' }
    expect(await database.transaction((tx) => notes.replace(tx, [stale]))).toBe(0)
    expect((await all())[0]?.secret).toBe(fresh)
  })

  test('knows every sealed column that there is', async () => {
    for (const place of sealedColumns.map(sealedColumnStore)) {
      expect(await place.count(database), place.name).toEqual([])
      expect(await database.transaction((tx) => place.list(tx, 'new', '', 10)), place.name).toEqual([])
      expect(await database.transaction((tx) => place.replace(tx, [])), place.name).toBe(0)
    }
  })
})
