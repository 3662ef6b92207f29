import { listMasterKeys } from '@platform/contracts'
import { raw } from '@platform/database'
import { createClient } from '@platform/service-client'
import { startTestService, TEST_INTERNAL_KEY, testDatabaseUrl } from '@platform/testing'
import { describe, expect, test } from 'vitest'
import { identityService, startIdentity } from '../../../test/start-identity.ts'

describe('GET /v2/platform/master-keys', () => {
  test('says what each has sealed; signing keys are sealed again soon after a start with a new one', async () => {
    const bytes = (fill: number) => Buffer.alloc(32, fill).toString('base64')
    const databaseUrl = await testDatabaseUrl()
    const start = (SECRETS_MASTER_KEYS: string, everyMs = 5000) =>
      startTestService(identityService, {
        databaseUrl,
        everyMs: { 'reseal-secrets': everyMs },
        env: {
          SECRETS_MASTER_KEYS,
          ADMIN_EMAIL: 'root@example.com',
          ADMIN_PASSWORD: 'a password of the tests',
        },
      })
    const keys = async (url: string) =>
      (await createClient(url, { 'x-platform-api-key': TEST_INTERNAL_KEY })(listMasterKeys)).map(
        ({ id, seals, known, sealed }) => [id, seals, known, sealed.length],
      )
    await using before = await start(`old:${bytes(1)}`)
    expect(await keys(before.url)).toEqual([['old', true, true, 1]])
    await using after = await start(`next:${bytes(2)},old:${bytes(1)}`, 200)
    await expect
      .poll(() => keys(after.url), { timeout: 15_000, interval: 50 })
      .toEqual([
        ['next', true, true, 1],
        ['old', false, true, 0],
      ])
    expect(await keys(before.url)).toEqual([
      ['old', true, true, 0],
      ['next', false, false, 1],
    ])
    await using alone = await start(`next:${bytes(2)}`)
    expect(await keys(alone.url)).toEqual([['next', true, true, 1]])
  }, 40_000)

  test('also tells of what the events service has sealed, once it has its tables', async () => {
    await using service = await startTestService(identityService, {
      env: { SECRETS_MASTER_KEYS: `own:${Buffer.alloc(32, 1).toString('base64')}` },
    })
    const keys = () => createClient(service.url, { 'x-platform-api-key': TEST_INTERNAL_KEY })(listMasterKeys)
    expect((await keys()).map(({ id }) => id)).toEqual(['own'])
    await service.database.many(raw('create schema events'))
    await service.database.many(
      raw(`create table events.subscriptions as
        select '1' as id, 'gone:x' as secret, null as previous_secret, 'own:y' as headers`),
    )
    const sealed = new Map((await keys()).map((key) => [key.id, key.sealed]))
    expect(sealed.get('gone')).toEqual([{ place: 'events.subscriptions.secret', values: 1 }])
    expect(sealed.get('own')).toContainEqual({ place: 'events.subscriptions.headers', values: 1 })
  })

  test('is not for callers without a credential, nor for others than super administrators', async () => {
    await using gateway = await startIdentity()
    await expect(gateway.client()(listMasterKeys)).rejects.toMatchObject({ status: 401 })
    const ada = await gateway.signIn()
    await expect(gateway.client(ada.headers)(listMasterKeys)).rejects.toMatchObject({ status: 403 })
    const root = await gateway.signIn({ superAdmin: true })
    expect(await gateway.client(root.headers)(listMasterKeys)).toHaveLength(1)
  })
})
