import { masterKeyRing } from '@platform/master-keys'
import { errors } from 'oidc-provider'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { identityDatabase } from '../../test/identity-server.ts'
import { oidcAdapter } from './adapter.ts'
import { oidcRecordStore } from './oidc-record-store.ts'
import { signInStore } from './sign-in-store.ts'

let database: Awaited<ReturnType<typeof identityDatabase>>
beforeAll(async () => {
  database = await identityDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

/** What these records don't ask for. */
const unused = {
  grantSessions: { endGrant: async () => undefined, endClient: async () => undefined },
  audit: { record: async () => undefined },
  masterKeys: masterKeyRing([{ id: 'test', key: Buffer.alloc(32, 7) }]),
}

const recordsOf = (model: string) =>
  oidcAdapter({
    database,
    records: oidcRecordStore(database),
    signInStore: signInStore(database),
    ...unused,
    readAccessToken: async () => undefined,
  })(model)

describe('a text the database can’t hold', () => {
  it('is the fault of the request, whatever is asked', async () => {
    const clients = recordsOf('Client')
    const attempts = [
      clients.find('a\0b'),
      clients.consume('a\0b'),
      clients.destroy('a\0b'),
      clients.findByUid('a\0b'),
      clients.findByUserCode('a\0b'),
      clients.revokeByGrantId('a\0b'),
      recordsOf('Session').upsert('id', { uid: 'a\0b' }, 60),
      recordsOf('Session').upsert('id', { state: { secret: 'a\0b' } }, 60),
    ]
    for (const { status, ...outcome } of await Promise.allSettled(attempts)) {
      expect(status).toBe('rejected')
      expect('reason' in outcome && outcome.reason).toBeInstanceOf(errors.InvalidRequest)
    }
  })

  it('is told from a database that does not answer', async () => {
    const lost = await identityDatabase()
    const records = oidcRecordStore(lost)
    await lost[Symbol.asyncDispose]()
    const needs = { records, signInStore: signInStore(lost), ...unused, database: lost }
    const adapter = oidcAdapter({ ...needs, readAccessToken: async () => undefined })('Client')
    await expect(adapter.find('a')).rejects.toMatchObject({ unavailable: true })
  })
})
