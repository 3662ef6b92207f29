import { sql } from '@platform/database'
import { type MasterKey, masterKeyIdOf, masterKeyRing } from '@platform/master-keys'
import { describe, expect } from 'vitest'
import { subscribed, test } from '../../test/subscription-fixture.ts'
import { sealContextOf } from './subscription.ts'
import { subscriptionChangeStore } from './subscription-change-store.ts'
import { resealSubscriptions } from './subscription-upkeep.ts'

const key = (id: string, byte: number): MasterKey => ({ id, key: Buffer.alloc(32, byte) })

describe('a new master key', () => {
  test('seals again what the old one has sealed, so that the old one may go', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    const { id, secret } = await subscribed(service, workspaceId, receiver.url, {
      headers: { 'x-key': 'one' },
    })
    const outbox = await service.resources.outbox('postgres:', service.env.DATABASE_URL ?? '')
    const masterKeys = masterKeyRing([key('next', 1), key('test', 7)])
    const changes = subscriptionChangeStore(service.database, outbox)
    await resealSubscriptions({ changes, masterKeys }).run(new AbortController().signal)
    const [row] = await service.database.many<{ secret: string; headers: string }>(
      sql`select secret, headers from events.subscriptions where id = ${id}`,
    )
    expect([row?.secret, row?.headers].map((sealed) => masterKeyIdOf(sealed ?? ''))).toEqual(['next', 'next'])
    const alone = masterKeyRing([key('next', 1)])
    expect(alone.open(row?.secret ?? '', sealContextOf(id, 'secret'))).toBe(secret)
    expect(alone.open(row?.headers ?? '', sealContextOf(id, 'headers'))).toBe('{"x-key":"one"}')
    expect(() => alone.open(row?.secret ?? '', sealContextOf(workspaceId, 'secret'))).toThrow()
  })
})
