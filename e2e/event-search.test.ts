import { randomUUID } from 'node:crypto'
import type { Platform } from '@platform/testing/platform'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { administrator, call, newWorkspace, saveAutomation } from './support/caller.ts'
import { shapes, sharedPlatform } from './support/shapes.ts'

const SOON = { timeout: 20_000, interval: 50 }
const hook = { slug: 'hook', name: 'Hook', when: { endpoint: true }, output: 'done' }

describe.each(shapes)('searching events on $name', (shape) => {
  let platform: Platform
  let jwt: string
  let workspaceId: string
  let foreignId: string
  const type = `order-${randomUUID()}`
  const post = (path: string, body: unknown, token = jwt) =>
    call(platform.origin, 'POST', path, { token, body })
  const inWorkspace = (rest: string, id = workspaceId) => `/v2/workspaces/${id}${rest}`
  const ofType = { query: { term: { type } }, track_total_hits: true }

  beforeAll(async () => {
    platform = await sharedPlatform(shape)
    ;({ jwt } = await administrator(platform))
    workspaceId = await newWorkspace(platform.origin, jwt)
    foreignId = await newWorkspace(platform.origin, jwt, 'Foreign')
    const events = (from: number) => [0, 1, 2].map((n) => ({ type, payload: { n: from + n } }))
    await post(inWorkspace('/events'), { events: events(0) })
    await post(inWorkspace('/events', foreignId), { events: events(10) })
  })

  test('searchEvents finds and counts what was emitted in the workspace', async () => {
    await vi.waitFor(async () => {
      const aggs = { sum: { sum: { field: 'payload.n' } } }
      const found = await post(inWorkspace('/search'), {
        ...ofType,
        aggs,
        source: ['payload'],
        sort: [{ createdAt: 'asc' }],
      })
      expect(found.status, found.text).toBe(200)
      expect(found.json).toMatchObject({ size: 3, total: 3, aggs: { sum: { value: 3 } } })
      expect(found.json.documents).toContainEqual({ payload: { n: 1 } })
    }, SOON)
  })

  test('searchEvents refuses what could reach further, in a sentence', async () => {
    const refused = await post(inWorkspace('/search'), {
      query: { terms: { type: { index: 'events-x', id: '1', path: 'type' } } },
    })
    expect(refused.status).toBe(400)
    expect(refused.json).toMatchObject({
      error: 'RequestValidationError',
      details: [{ path: 'query.terms.type' }],
    })
  })

  test('searchAllEvents finds across workspaces', async () => {
    await vi.waitFor(async () => {
      const found = await post('/v2/search', ofType)
      expect(found.status, found.text).toBe(200)
      expect(found.json.total).toBe(6)
    }, SOON)
  })

  test('workspaceUsage counts the calls of a URL trigger', async () => {
    await saveAutomation(platform.origin, jwt, workspaceId, hook)
    await vi.waitFor(async () => {
      const ran = await post(inWorkspace('/webhooks/hook'), {})
      expect(ran.status, ran.text).toBe(200)
    }, SOON)
    const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
    const query = `?afterDate=${day(-1)}&beforeDate=${day(2)}&interval=day`
    await vi.waitFor(async () => {
      const usage = await call(platform.origin, 'GET', inWorkspace(`/usage${query}`), { token: jwt })
      expect(usage.status, usage.text).toBe(200)
      expect(usage.json.total.httpTransactions).toBeGreaterThanOrEqual(1)
      expect(usage.json.timeseries).toHaveLength(1)
    }, SOON)
  })
})
