import { existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { migrate, openDatabase, sql } from '@platform/database'
import { testDatabaseUrl } from '@platform/testing'
import { generateIdentity, identityToRecipient } from 'age-encryption'
import { beforeAll, describe, expect, test } from 'vitest'
import { runOps } from '../../test/testing.ts'
import { schemas } from './schemas.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'ops-backup-'))
const WEAK = { allowWeakDurability: true, applicationName: 'test' }
const MASTER_KEYS = `k1:${Buffer.alloc(32, 5).toString('base64')}`

/** A platform's database and files as the environment of an operator names them; no platform runs. */
async function platformEnv(name: string) {
  return {
    DATABASE_URL: await testDatabaseUrl(),
    FILES_URL: `file:${join(folder, name)}`,
    SECRETS_MASTER_KEYS: MASTER_KEYS,
    DATA_DIRECTORY: join(folder, 'none'),
    NODE_ENV: 'test',
  }
}

let env: Awaited<ReturnType<typeof platformEnv>>
beforeAll(async () => {
  env = await platformEnv('source')
  await using database = await openDatabase(env.DATABASE_URL, WEAK)
  for (const each of schemas) await migrate(database, each)
  await database.many(sql`insert into permissions.workspaces (id, slug, name) values ('w', 'w', 'W')`)
})

const inFolder = (name: string) => join(folder, name)

describe('ops backup', () => {
  test('knows every schema that the repository has migrations for', async () => {
    const found: string[] = []
    for await (const path of glob('{apps,packages}/*/migrations/', { cwd: root }))
      found.push(join(root, path, '/'))
    expect(schemas.map(({ directory }) => fileURLToPath(directory)).sort()).toEqual(found.sort())
  })

  test('writes a file for its owner alone, tells what it holds, and verifies and restores it', async () => {
    const file = inFolder('plain.backup')
    const made = await runOps(['backup', 'create', file], env)
    expect(made.code).toBe(0)
    expect(made.out).toMatch(
      /^The backup of \S+ \S+Z is written in [\d.]+ s: \d+ rows of \d+ tables and 0 files, .+, made by version \d/,
    )
    expect(made.out).toContain('and is not encrypted.')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(existsSync(`${file}.part`)).toBe(false)

    const verified = await runOps(['backup', 'verify', file], {})
    expect(verified.out).toMatch(/^The backup of \S+ \S+Z is whole, read in /)
    const place = await platformEnv('target')
    expect(
      (await runOps(['backup', 'verify', file, '--into', place.DATABASE_URL], { NODE_ENV: 'test' })).out,
    ).toMatch(/is whole and was restored in/)
    const target = await platformEnv('target')
    expect((await runOps(['backup', 'restore', file], target)).out).toMatch(
      /^The state of .+ is restored in /,
    )
    await using database = await openDatabase(target.DATABASE_URL, WEAK)
    expect(await database.many(sql`select id, name from permissions.workspaces`)).toEqual([
      { id: 'w', name: 'W' },
    ])

    expect(await runOps(['backup', 'restore', file], target)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^The database is not empty/),
    })
    expect(await runOps(['backup', 'create', file], env)).toMatchObject({
      code: 1,
      err: `${file} is there already: name another file.`,
    })
  })

  test('encrypts for a key, or by a passphrase that is never an argument', async () => {
    const key = await generateIdentity()
    writeFileSync(inFolder('key.txt'), `# created: today\n${key}\n`)
    writeFileSync(inFolder('passphrase'), 'correct horse battery\n')
    const [forKey, byPassphrase] = [inFolder('key.backup'), inFolder('passphrase.backup')]
    const recipient = await identityToRecipient(key)
    expect((await runOps(['backup', 'create', forKey, '--recipient', recipient], env)).code).toBe(0)
    const created = ['backup', 'create', byPassphrase]
    expect((await runOps(created, { ...env, BACKUP_PASSPHRASE_FILE: inFolder('passphrase') })).code).toBe(0)
    for (const file of [forKey, byPassphrase])
      expect(readFileSync(file, 'latin1')).toMatch(/^age-encryption\.org\/v1\n/)

    expect((await runOps(['backup', 'verify', forKey, '--key-file', inFolder('key.txt')])).code).toBe(0)
    expect(readFileSync(byPassphrase, 'latin1')).toMatch(/^-> scrypt /m)
    expect((await runOps(['backup', 'verify', forKey])).err).toMatch(/^The backup is encrypted: give/)
  })

  test.each([
    [{ SECRETS_MASTER_KEYS: '' }, /^SECRETS_MASTER_KEYS is not known: set it, or put the secrets\.env/],
    [{ SECRETS_MASTER_KEYS: 'k1:short' }, /^SECRETS_MASTER_KEYS must be <id>:<base64 of 32 bytes>/],
    [
      { DATABASE_URL: '' },
      /^There is no database in .*none\/postgres: set DATA_DIRECTORY or DATABASE_URL\.$/,
    ],
    [
      { DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x' },
      /^The database at 127\.0\.0\.1:1 can't be reached/,
    ],
  ])('%o is a sentence', async (wrong, sentence) => {
    const { code, err } = await runOps(['backup', 'create', inFolder('never')], { ...env, ...wrong })
    expect(code).toBe(1)
    expect(err).toMatch(sentence)
    expect(err).not.toContain('hunter2')
    expect(existsSync(inFolder('never'))).toBe(false)
  })

  test('says that a database without a platform has none, and a file that is no backup is none', async () => {
    const { code, err } = await runOps(['backup', 'create', inFolder('never')], await platformEnv('empty'))
    expect({ code, err }).toEqual({
      code: 1,
      err: 'The database has no platform in it: correct DATABASE_URL or DATA_DIRECTORY.',
    })
    writeFileSync(inFolder('letter'), 'Dear Ada,')
    expect((await runOps(['backup', 'verify', inFolder('letter')])).err).toBe(
      'The file is no backup of the platform.',
    )
    expect((await runOps(['backup', 'verify', inFolder('nowhere')])).err).toMatch(/nowhere is not there\.$/)
  })
})
