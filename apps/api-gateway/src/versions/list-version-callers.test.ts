import { listVersionCallers } from '@platform/contracts'
import { sql } from '@platform/database'
import { systemClock } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type SignedIn, startGateway, type TestGateway } from '../../test/start-gateway.ts'
import { versionCallerStore } from './version-caller-store.ts'
import { purgeVersionCallers } from './version-uses.ts'

let gateway: TestGateway
let root: SignedIn
beforeAll(async () => {
  gateway = await startGateway({ everyMs: { 'note-version-uses': 100 } })
  root = await gateway.signIn({ superAdmin: true })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const callersOf = (version: string, query = {}) =>
  gateway.client(root.headers)(listVersionCallers, { params: { version }, query })

describe('GET /v2/versions/:version/callers', () => {
  test('tells who called a version, how often and when last', async () => {
    const ada = await gateway.signIn({ clientId: 'local-client-id' })
    for (let index = 0; index < 3; index += 1) await fetch(`${gateway.url}/v3/me`, { headers: ada.headers })
    await fetch(`${gateway.url}/v3/me`)
    await vi.waitFor(
      async () => {
        const found = await callersOf('v3')
        expect(found).toContainEqual({
          kind: 'user',
          clientId: 'local-client-id',
          userId: ada.userId,
          apiKeyId: null,
          behaviourOf: null,
          count: 3,
          firstSeenAt: expect.any(String),
          lastSeenAt: expect.any(String),
        })
        expect(found).toContainEqual(
          expect.objectContaining({ kind: 'nobody', userId: null, clientId: null }),
        )
      },
      { timeout: 15_000, interval: 50 },
    )
  })

  test('tells who asks for the behaviour of a date', async () => {
    const ada = await gateway.signIn()
    await fetch(`${gateway.url}/v2/me`, {
      headers: { ...ada.headers, 'x-platform-api-version': '2025-01-01' },
    })
    await fetch(`${gateway.url}/v2/me`, { headers: ada.headers })
    await vi.waitFor(
      async () =>
        expect(await callersOf('v2')).toContainEqual(
          expect.objectContaining({ userId: ada.userId, behaviourOf: '2024-12-31', count: 1 }),
        ),
      { timeout: 15_000, interval: 50 },
    )
  })

  test('pages, the latest first, and forgets after 400 days', async () => {
    const at = (days: number) => Date.now() - days * 86_400_000
    const store = versionCallerStore(gateway.database)
    const use = (callerId: string, days: number) => ({
      ...{ version: 'v1', behaviourOf: '', kind: 'user' as const, callerId, clientId: 'c' },
      ...{ count: 2, firstAt: at(days), lastAt: at(days) },
    })
    await Promise.all([
      store.add([use('old', 401), use('late', 1), use('later', 0)]),
      store.add([use('later', 0), use('late', 2)]),
    ])
    expect((await callersOf('v1', { limit: '2' })).map(({ userId, count }) => [userId, count])).toEqual([
      ['later', 4],
      ['late', 4],
    ])
    const purge = purgeVersionCallers({ store, clock: systemClock })
    await purge.run(new AbortController().signal)
    expect((await callersOf('v1')).map(({ userId }) => userId)).toEqual(['later', 'late'])
    const rows = await gateway.database.many(
      sql`select 1 from gateway.api_version_callers where caller_id = 'old'`,
    )
    expect(rows).toEqual([])
  })

  test('refuses a page that is none', async () => {
    await expect(callersOf('v1', { limit: '0' })).rejects.toMatchObject({ status: 400 })
  })

  test('is for super administrators alone', async () => {
    const ask = (headers: Record<string, string>) =>
      gateway.client(headers)(listVersionCallers, { params: { version: 'v1' }, query: {} })
    await expect(ask({})).rejects.toMatchObject({ status: 401 })
    const ada = await gateway.signIn()
    await expect(ask(ada.headers)).rejects.toMatchObject({ name: 'ForbiddenError', status: 403 })
    await expect(ask(gateway.internalHeaders)).rejects.toMatchObject({ status: 401 })
  })

  test('is 404 for a version that never was', async () => {
    for (const version of ['v4', 'V1', '__proto__'])
      await expect(callersOf(version)).rejects.toMatchObject({ name: 'ObjectNotFoundError', status: 404 })
  })
})
