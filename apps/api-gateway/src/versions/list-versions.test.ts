import { listVersions } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../../test/start-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

describe('GET /v2/versions', () => {
  test('tells everybody each version, its state, its dates and what has changed within it', async () => {
    const [v1, v2, v3, ...rest] = await gateway.client()(listVersions)
    expect(v1).toEqual({
      version: 'v1',
      state: 'retired',
      releasedOn: '2023-01-01',
      deprecatedAt: '2024-12-31T00:00:00Z',
      retiresAt: '2025-12-31T23:59:59Z',
      successor: 'v2',
      changes: [],
    })
    expect(v2).toMatchObject({ version: 'v2', state: 'stable', successor: null })
    expect(v2?.changes).toContainEqual({
      date: '2026-11-21',
      resource: 'API keys',
      summary: expect.any(String),
    })
    expect(v3).toMatchObject({ version: 'v3', state: 'beta', changes: [] })
    expect(rest).toEqual([])
  })

  test('may be kept for five minutes', async () => {
    const answer = await fetch(`${gateway.url}/v2/versions`)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
  })

  test('is a list of v3 in v3, and gone with v1', async () => {
    const list = (await (await fetch(`${gateway.url}/v3/versions`)).json()) as { results: unknown[] }
    expect(list).toEqual({ results: await gateway.client()(listVersions), nextCursor: null })
    expect((await fetch(`${gateway.url}/v1/versions`)).status).toBe(410)
  })

  test('refuses a bad credential like everything else', async () => {
    const attempt = gateway.client({ authorization: 'Bearer nonsense' })(listVersions)
    await expect(attempt).rejects.toMatchObject({ status: 401 })
  })

  test('takes no other method and no other path', async () => {
    expect((await fetch(`${gateway.url}/v2/versions`, { method: 'POST' })).status).toBe(405)
    expect((await fetch(`${gateway.url}/v2/versions/v2`)).status).toBe(404)
  })
})
