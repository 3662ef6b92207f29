import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { zstdDecompressSync } from 'node:zlib'
import { type Database, migrate, sql } from '@platform/database'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  backupOf,
  contentsOf,
  emptyDatabase,
  filledDatabase,
  freshFiles,
  masterKeys,
  PHOTO,
  restore,
  schemas,
  streamOf,
} from '../test/support.ts'
import { readBackup } from './index.ts'

const files = await freshFiles()
let database: Database
let backup: Buffer
beforeAll(async () => {
  database = await filledDatabase(files)
  backup = await backupOf(database, { files })
})
afterAll(() => database?.[Symbol.asyncDispose]())

const failureOf = async (work: Promise<unknown>): Promise<string> =>
  await work.then(
    () => 'nothing failed',
    (error: Error) => `${error.name}: ${error.message}`,
  )

/** Tables whose rows are written otherwise on purpose. */
const particular = [
  'events.indexes',
  'idempotency.requests',
  'outbox.consumers',
  'outbox.events',
  'runtime.runs',
]

describe('a backup that is restored', () => {
  test('has every row of every table, whatever is in its texts, and the next number of every sequence', async () => {
    await using place = await emptyDatabase()
    await restore(place, streamOf(backup), { files: await freshFiles() })

    const [before, after] = [await contentsOf(database), await contentsOf(place)]
    expect(Object.keys(after)).toEqual(Object.keys(before))
    for (const [table, sum] of Object.entries(before).filter(([name]) => !name.endsWith('.migrations')))
      if (!particular.includes(table)) expect([table, after[table]]).toEqual([table, sum])
    const next = sql`insert into gateway.revocations (id) values ('r3') returning sequence`
    expect(await place.many(next)).toEqual([{ sequence: 3 }])
  })

  test('lets every reader of the events go on where it was, on a server that counts transactions anew', async () => {
    await using source = await filledDatabase()
    const order = sql`select record ->> 'n' as n from outbox.events order by xid, position`
    const before = await source.many<{ n: string }>(order)
    // As if the server had counted far: a fresh one is behind that.
    await source.many(sql`update outbox.events set xid = ((xid::text::bigint + 4000000000)::text)::xid8`)
    await source.many(sql`update outbox.consumers c set (xid, position) = (
      select xid, position from outbox.events where record ->> 'n' = case name when 'fast' then '199' else '9' end)
      where name <> 'new'`)

    await using place = await emptyDatabase()
    await restore(place, streamOf(await backupOf(source)))
    await place.many(
      sql`insert into outbox.events (id, type, record) values (gen_random_uuid(), 'x', '{"n":"later"}')`,
    )

    const unread = (name: string) =>
      place.many<{ n: string }>(sql`
      select record ->> 'n' as n from outbox.consumers c
      cross join lateral outbox.events_after(c.xid, c.position, 1000) where c.name = ${name}`)
    const expected = [...before, { n: 'later' }]
    // Nothing is read that is younger than a transaction of others, and other tests have some on the same server.
    await vi.waitFor(async () => expect(await unread('fast')).toEqual(expected.slice(200)), {
      timeout: 30_000,
      interval: 100,
    })
    expect(await unread('slow')).toEqual(expected.slice(10))
    expect(await unread('new')).toEqual(expected)
  })

  test('holds no lease, no request under way and nothing of the search index', async () => {
    await using place = await emptyDatabase()
    await restore(place, streamOf(backup), { files: await freshFiles() })
    expect(await place.many(sql`select status, worker, leased_until from runtime.runs`)).toEqual([
      { status: 'queued', worker: null, leased_until: null },
    ])
    expect(await place.many(sql`select status from idempotency.requests`)).toEqual([{ status: 200 }])
    expect(await place.many(sql`select 1 from events.indexes`)).toEqual([])
  })

  test('brings the files that the database refers to, and counts those that are lost', async () => {
    await using place = await emptyDatabase()
    const restored = await freshFiles()
    const { manifest, end } = await restore(place, streamOf(backup), { files: restored })
    expect(manifest.files).toBe(2)
    expect(end.files).toMatchObject({ count: 1, missing: 1 })
    expect(await restored.get(`photos/${PHOTO}`)).toEqual(await files.get(`photos/${PHOTO}`))
  })

  test('is that of one moment, although rows are written while it is made', async () => {
    await using source = await filledDatabase()
    const state = { isOver: false, written: 0 }
    const writing = (async () => {
      while (!state.isOver) {
        // A member without its workspace would be refused where it is restored.
        await source.transaction(async (tx) => {
          state.written += 1
          const id = `late${state.written}`
          await tx.many(sql`insert into permissions.workspaces (id, slug, name) values (${id}, ${id}, '')`)
          await tx.many(sql`insert into permissions.members values (${id}, 'ada', 'owner')`)
        })
      }
    })()
    const bytes = await backupOf(source).finally(() => {
      state.isOver = true
    })
    await writing
    await using place = await emptyDatabase()
    await restore(place, streamOf(bytes))
    const [row] = await place.many<{ members: number; workspaces: number }>(sql`
      select (select count(*) from permissions.members) as members,
        (select count(*) from permissions.workspaces where id like 'late%') as workspaces`)
    expect(row?.members).toBe((row?.workspaces ?? 0) + 1)
    expect(state.written).toBeGreaterThan(row?.workspaces ?? 0)
  })
})

describe('where a backup can not be restored', () => {
  test('a place that is not empty is refused and stays as it is', async () => {
    await using place = await filledDatabase()
    const before = await contentsOf(place)
    expect(await failureOf(restore(place, streamOf(backup)))).toMatch(
      /^BackupProblem: The database is not empty \(\S+ has rows\), and a backup is restored into an empty one only/,
    )
    expect(await contentsOf(place)).toEqual(before)
  })

  test('one that was interrupted is begun again', async () => {
    await using place = await emptyDatabase()
    const half = streamOf(backup.subarray(0, backup.length / 2))
    expect(await failureOf(restore(place, half))).toMatch(/files|damaged/)
    const { end } = await restore(place, streamOf(backup), { files: await freshFiles() })
    expect(end.tables.find(({ name }) => name === 'search.documents')?.rows).toBe(20_000)
  })

  test('that of a newer version is refused, and that of an older one is migrated', async () => {
    const older = await Promise.all(
      schemas.map(async ({ schema, directory }) => {
        const folder = await mkdtemp(join(tmpdir(), 'older-'))
        const names = (await readdir(directory)).sort()
        const kept = schema === 'gateway' ? names.slice(0, -1) : names
        for (const name of kept) await cp(join(fileURLToPath(directory), name), join(folder, name))
        return { schema, directory: pathToFileURL(`${folder}/`) }
      }),
    )
    await using place = await emptyDatabase()
    expect(await failureOf(restore(place, streamOf(backup), { files, schemas: older }))).toBe(
      'BackupProblem: The backup was made by version 0.1.0, which has the migration "0031_add_sites_of_visitors" ' +
        'of schema "gateway": restore it with that version or a newer one.',
    )
    await using old = await emptyDatabase()
    for (const each of older) await migrate(old, each)
    await old.many(sql`insert into gateway.users (id, status) values ('ada', 'validated')`)
    await old.many(sql`insert into gateway.sessions (id, user_id, client_id, anonymous, expires_at)
      values ('s', 'ada', 'c', false, now())`)
    await restore(place, streamOf(await backupOf(old)))
    expect(await place.many(sql`select id, site from gateway.sessions`)).toEqual([{ id: 's', site: null }])
  })

  test('another master key is told by its fingerprint, and no key is in the backup', async () => {
    await using place = await emptyDatabase()
    const others = [{ id: 'k1', key: randomBytes(32) }]
    expect(await failureOf(restore(place, streamOf(backup), { files, masterKeys: others }))).toMatch(
      /The backup needs the master key "k1" with the fingerprint [0-9a-f]{16}, which SECRETS_MASTER_KEYS does not have/,
    )
    const plain = zstdDecompressSync(backup)
    for (const { key } of masterKeys)
      for (const form of ['base64', 'base64url', 'hex'] as const)
        expect(plain.includes(key.toString(form))).toBe(false)
  })
})

describe('a file that is not what was written', () => {
  const piecesOf = async (bytes: Buffer, opening = {}) => {
    const pieces: unknown[] = []
    for await (const piece of readBackup(streamOf(bytes), opening)) pieces.push(piece)
    return pieces
  }
  const reading = (bytes: Buffer, opening = {}) => failureOf(piecesOf(bytes, opening))
  const isDamaged = /^BackupProblem: The backup is damaged: .* Take another copy of it\.$/

  test('is noticed where bits are others, unless they mean the same to zstd', async () => {
    const written = await piecesOf(backup)
    const failures: string[] = []
    for (const share of [0.1, 0.3, 0.5, 0.7, 0.9]) {
      const changed = Buffer.from(backup)
      const at = Math.floor(backup.length * share)
      changed[at] = (changed[at] ?? 0) ^ 1
      const failure = await reading(changed)
      // The same text may be packed in several ways: of a hundred bits one changes nothing of what comes out.
      if (failure === 'nothing failed') expect(await piecesOf(changed)).toEqual(written)
      else failures.push(failure)
    }
    expect(failures).toEqual(failures.map(() => expect.stringMatching(isDamaged)))
    expect(failures.length).toBeGreaterThan(1)
  })

  test('is noticed when it is cut off anywhere', async () => {
    const cut = [0.05, 0.5, 0.9].map((share) => backup.subarray(0, backup.length * share))
    for (const bytes of [...cut, backup.subarray(0, -50)]) expect(await reading(bytes)).toMatch(isDamaged)
    expect(await reading(randomBytes(1000))).toMatch('The file is no backup of the platform.')
  })

  test('is noticed when it is encrypted, by key or by passphrase', async () => {
    const key = await generateIdentity()
    const recipients = [await identityToRecipient(key)]
    const sealed = await backupOf(database, { files, encryption: { recipients } })
    expect(await reading(sealed, { keys: [key] })).toBe('nothing failed')

    const opening = { keys: [key] }
    const chunk = 65_552
    const swapped = Buffer.concat([
      sealed.subarray(0, 400 + chunk),
      sealed.subarray(400 + 2 * chunk, 400 + 3 * chunk),
      sealed.subarray(400 + chunk, 400 + 2 * chunk),
      sealed.subarray(400 + 3 * chunk),
    ])
    for (const bytes of [swapped, sealed.subarray(0, -1), sealed.subarray(0, sealed.length / 2)])
      expect(await reading(bytes, opening)).toMatch(/The backup is damaged/)
    expect(await reading(sealed)).toMatch(/The backup is encrypted: give --passphrase-file or --key-file/)
    expect(await reading(sealed, { keys: [await generateIdentity()] })).toMatch(/another passphrase or key/)
  })

  test('opens with its passphrase and no other', async () => {
    const sealed = await backupOf(database, {
      files,
      encryption: { passphrase: 'correct horse', workFactor: 10 },
    })
    expect(await reading(sealed, { passphrase: 'wrong horse' })).toMatch(/another passphrase or key/)
    expect(await reading(sealed, { passphrase: 'correct horse' })).toBe('nothing failed')
  })
})
