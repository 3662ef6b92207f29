import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runOps } from '../../test/testing.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'secrets-'))
const create = (...args: string[]) => runOps(['secrets', 'create', ...args])
const contents = (directory: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => {
        const path = join(parentPath, name)
        return [path.slice(directory.length + 1), readFileSync(path, 'utf8')]
      }),
  )

describe('ops secrets create', () => {
  test('makes a file for each secret, and what the stores read of them, and prints none of it', async () => {
    const directory = folder()
    const { code, out } = await create(directory)
    const made = contents(directory)
    expect(code).toBe(0)
    expect(Object.keys(made).sort()).toEqual([
      'functions/internal-api-key',
      'nats/nats.conf',
      'platform/broker-password',
      'platform/cache-password',
      'platform/database-password',
      'platform/internal-api-key',
      'platform/secrets-master-keys',
      'platform/session-cookies-sign-secret',
      'postgres/password',
      'valkey/valkey.conf',
    ])
    expect(made['functions/internal-api-key']).toBe(made['platform/internal-api-key'])
    expect(made['postgres/password']).toBe(made['platform/database-password'])
    expect(made['valkey/valkey.conf']).toContain(made['platform/cache-password'])
    expect(made['nats/nats.conf']).toContain(made['platform/broker-password'])
    expect(made['platform/secrets-master-keys']).toMatch(/^k1:[A-Za-z0-9+/]{43}=$/)
    expect(made['platform/internal-api-key']).toMatch(/^[\w-]{43}$/)
    expect(
      Object.entries(made).filter(([name, value]) => name.startsWith('platform/') && out.includes(value)),
    ).toEqual([])
    rmSync(directory, { recursive: true })
  })

  test('changes nothing that is there, and makes what is missing of the same passwords', async () => {
    const directory = folder()
    await create(directory)
    writeFileSync(join(directory, 'platform/own-file'), 'mine')
    const before = contents(directory)
    rmSync(join(directory, 'nats'), { recursive: true })
    expect(await create(directory)).toMatchObject({
      code: 0,
      out: expect.stringContaining(': nats/nats.conf. '),
    })
    expect(contents(directory)).toEqual(before)
    expect((await create(directory)).out).toBe(`The secrets in ${directory} are kept as they are.`)
    rmSync(directory, { recursive: true })
  })

  test('run by several at once makes one set', async () => {
    const directory = folder()
    await Promise.all([create(directory), create(directory), create(directory)])
    const made = contents(directory)
    expect(made['valkey/valkey.conf']).toContain(made['platform/cache-password'])
    rmSync(directory, { recursive: true })
  })

  test('opens folders to the users of stores where it is told to', async () => {
    const directory = folder()
    await create(directory, '--writable', join(directory, 'postgres'), join(directory, 'caddy'))
    const modes = ['postgres', 'caddy', 'platform'].map(
      (name) => statSync(join(directory, name)).mode & 0o777,
    )
    expect(modes.slice(0, 2)).toEqual([0o777, 0o777])
    expect(modes[2]).not.toBe(0o777)
    rmSync(directory, { recursive: true })
  })

  test('says what is to be done where it may not write', async () => {
    const directory = folder()
    writeFileSync(join(directory, 'platform'), '')
    expect(await create(directory)).toMatchObject({
      code: 1,
      err: expect.stringMatching(
        /platform\/internal-api-key can't be made or read \(\w+\): let this user own its folder\.$/,
      ),
    })
    rmSync(directory, { recursive: true })
  })
})
