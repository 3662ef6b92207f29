import { getMe, rotateSigningKey } from '@platform/contracts'
import { type Database, raw, sql } from '@platform/database'
import { createLogger } from '@platform/logging'
import { masterKeyRing } from '@platform/master-keys'
import { keyOpener, sealedKeys, signingKeyStore } from '@platform/signing-keys'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startIdentity, type TestIdentity } from '../../../test/start-identity.ts'
import { gatewayKeys } from '../keys-part.ts'

const bytes = (fill: number) => Buffer.alloc(32, fill).toString('base64')
const EC = { JWKS_KTY: 'EC', JWKS_ALG: 'ES256', JWKS_SIZE: '256' }
let gateway: TestIdentity
beforeAll(async () => {
  gateway = await startIdentity({ env: EC })
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** Every row of every table as text: what a dump holds. */
async function dumpOf(database: Database): Promise<string> {
  const tables = await database.many<{ name: string }>(sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`)
  const rows: string[] = []
  for (const { name } of tables) {
    const found = await database.many<{ text: string }>(raw(`select t::text as text from ${name} t`))
    rows.push(...found.map(({ text }) => text))
  }
  return rows.join('\n')
}

describe('the private part of a signing key', () => {
  test('is in no table after rotations, sealed or it is not there', async () => {
    const operator = gateway.client(gateway.internalHeaders)
    for (const immediately of [true, false, true]) await operator(rotateSigningKey, { body: { immediately } })
    const dump = await dumpOf(gateway.database)
    await gateway.keyRing.reload()
    const keys = gateway.keyRing.privateJwks()
    expect(keys.length).toBeGreaterThanOrEqual(3)
    for (const { d, kid } of keys) {
      expect(dump).toContain(kid)
      expect(dump).not.toContain(d)
      expect(dump).not.toContain(Buffer.from(d ?? '', 'base64url').toString('hex'))
      expect(dump).not.toContain(Buffer.from(d ?? '', 'base64url').toString('base64'))
    }
    expect(dump).not.toMatch(/BEGIN.*PRIVATE|"d": ?"|\\"d\\"/)
    expect(dump).not.toContain(bytes(7))
  })

  test('opens with a new master key in front of the old one, and sessions go on', async () => {
    const ada = await gateway.signIn()
    const env = { ...EC, SECRETS_MASTER_KEYS: `test:${bytes(7)},next:${bytes(1)}` }
    await using second = await startIdentity({ databaseUrl: gateway.databaseUrl, env })
    expect(await second.client(ada.headers)(getMe)).toMatchObject({ id: ada.userId })
  })
})

describe('an instance that lacks a new master key', () => {
  test('leaves out what it can not open, and still hears of keys that are removed', async () => {
    const log = createLogger({ level: 'silent' })
    const error = vi.spyOn(log, 'error')
    const rows = await signingKeyStore(gateway.database, gatewayKeys).list()
    const [first, second] = rows
    if (first === undefined || second === undefined) throw new Error('There are not two keys.')
    const open = keyOpener(
      sealedKeys(masterKeyRing([{ id: 'test', key: Buffer.alloc(32, 7) }]), gatewayKeys),
      log,
    )
    expect(open([first, second]).map(({ kid }) => kid)).toEqual([first.kid, second.kid])
    const strange = { ...second, kid: 'strange', sealedJwk: 'next:AAAA' }
    expect(open([second, strange]).map(({ kid }) => kid)).toEqual([second.kid])
    expect(error).toHaveBeenCalledTimes(1)
    const fresh = keyOpener(
      sealedKeys(masterKeyRing([{ id: 'test', key: Buffer.alloc(32, 7) }]), gatewayKeys),
      log,
    )
    expect(() => fresh([strange])).toThrow('has no key "next"')
  })
})
