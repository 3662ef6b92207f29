import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, raw } from '@platform/database'
import { createLogger } from '@platform/logging'
import { testDatabaseUrl } from '@platform/testing'
import { describe, expect, test } from 'vitest'
import { requireInstallation } from './installation.ts'
import { Resources } from './resources.ts'

const log = createLogger({ level: 'silent' })
const freshFile = () => join(mkdtempSync(join(tmpdir(), 'installation-')), 'data', 'installation')

/** What a start with this environment comes to: the refusal, or "started". */
async function start(env: Record<string, string>): Promise<string> {
  await using resources = new Resources(log, { development: true })
  return await requireInstallation(env, resources).then(
    () => 'started',
    (error: Error) => error.message,
  )
}

async function withAccount(url: string): Promise<void> {
  await using database = await openDatabase(url, { allowWeakDurability: true })
  await database.many(raw('create schema gateway'))
  await database.many(raw("create table gateway.users as select 'ada' as id"))
}

describe('the database of a platform', () => {
  test('is remembered at the first start, and known again at every later one', async () => {
    const env = { DATABASE_URL: await testDatabaseUrl(), INSTALLATION_FILE: freshFile() }
    expect(await start(env)).toBe('started')
    const remembered = readFileSync(env.INSTALLATION_FILE, 'utf8')
    expect(remembered).toMatch(/^[0-9a-f-]{36}\n$/)
    expect(await Promise.all([start(env), start(env)])).toEqual(['started', 'started'])
    expect(readFileSync(env.INSTALLATION_FILE, 'utf8')).toBe(remembered)
  })

  test('may be any where nothing is remembered, and none has to be named', async () => {
    expect(await start({ DATABASE_URL: await testDatabaseUrl() })).toBe('started')
    expect(await start({})).toBe('started')
  })

  test('is refused when an empty one has taken its place, unless that is said to be meant', async () => {
    const INSTALLATION_FILE = freshFile()
    await start({ DATABASE_URL: await testDatabaseUrl(), INSTALLATION_FILE })
    const before = readFileSync(INSTALLATION_FILE, 'utf8').trim()
    const lost = { DATABASE_URL: await testDatabaseUrl(), INSTALLATION_FILE }
    const refusal = await start(lost)
    const [, id = ''] = /set INSTALLATION_ID=([0-9a-f-]{36})\.$/.exec(refusal) ?? []
    expect(refusal).toBe(
      `The database is empty, and this platform has lived in another (${before}), as ${INSTALLATION_FILE} knows: ` +
        'restore a backup into it by "ops backup restore", or correct DATABASE_URL or the place of its data. ' +
        `Where this one is meant, set INSTALLATION_ID=${id}.`,
    )
    expect(await start({ ...lost, INSTALLATION_ID: id })).toBe('started')
    expect(await start(lost)).toBe('started')
  })

  test('is refused when it is that of another platform, or not the one that is meant', async () => {
    const env = { DATABASE_URL: await testDatabaseUrl(), INSTALLATION_FILE: freshFile() }
    await start(env)
    const other = { ...env, DATABASE_URL: await testDatabaseUrl() }
    await withAccount(other.DATABASE_URL)
    expect(await start(other)).toMatch(
      /^The database is another one \(.{36}\), and .+ knows: correct DATABASE_URL\./,
    )
    const meant = '00000000-0000-4000-8000-000000000000'
    expect(await start({ ...env, INSTALLATION_ID: meant })).toMatch(
      /^INSTALLATION_ID says that the database 0{8}.+ is meant, and DATABASE_URL leads to .{36}: correct one/,
    )
  })

  test('is asked for again once a file was lost', async () => {
    const env = { DATABASE_URL: await testDatabaseUrl(), INSTALLATION_FILE: freshFile() }
    await start(env)
    writeFileSync(env.INSTALLATION_FILE, '')
    expect(await start(env)).toBe('started')
    expect(readFileSync(env.INSTALLATION_FILE, 'utf8')).toMatch(/^[0-9a-f-]{36}\n$/)
  })
})
