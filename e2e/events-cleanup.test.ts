import type { Platform } from '@platform/testing/platform'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { administrator, call, feed, newWorkspace, saveAutomation } from './support/caller.ts'
import { shapes, sharedPlatform } from './support/shapes.ts'

const SOON = { timeout: 15_000, interval: 100 }
const greet = { slug: 'greet', name: 'greet', when: { endpoint: true }, do: [], output: 'Hello' }

describe.each(shapes)('deleting, restoring and cleaning on $name', (shape) => {
  let platform: Platform
  let token: string
  const ask = (method: string, path: string, body?: unknown) =>
    call(platform.origin, method, path, { token, ...(body === undefined ? {} : { body }) })

  beforeAll(async () => {
    platform = await sharedPlatform(shape)
    token = (await administrator(platform)).token
  })

  test('restoreWorkspace gives a deleted workspace back: its automations answer and its events are there', async () => {
    const id = await newWorkspace(platform.origin, token, 'To be restored')
    await saveAutomation(platform.origin, token, id, greet)
    await ask('POST', `/v2/workspaces/${id}/events`, {
      events: [{ type: 'order.placed', payload: { n: 1 } }],
    })
    const webhook = () => ask('POST', `/v2/workspaces/${id}/webhooks/greet`, {})
    await vi.waitFor(async () => expect((await webhook()).status).toBe(200), SOON)
    await vi.waitFor(
      async () => expect(await feed(platform.origin, token, id, 'types=order.placed')).toHaveLength(1),
      SOON,
    )

    expect((await ask('DELETE', `/v2/workspaces/${id}`)).status).toBe(200)
    await vi.waitFor(async () => expect((await webhook()).status).toBe(404), SOON)
    const trash = await ask('GET', '/v2/workspaces?deleted=true')
    expect(trash.json.map((one: { id: string }) => one.id)).toContain(id)

    const restored = await ask('POST', `/v2/workspaces/${id}/restore`)
    expect([restored.status, restored.json.id]).toEqual([200, id])
    await vi.waitFor(async () => expect((await webhook()).json).toBe('Hello'), SOON)
    const types = async () => (await feed(platform.origin, token, id)).map(({ type }) => type)
    await vi.waitFor(async () => {
      const seen = await types()
      for (const type of ['order.placed', 'workspaces.deleted', 'workspaces.restored'])
        expect(seen).toContain(type)
    }, SOON)
  })

  test('cleanIndices and cleanExecutions are nowhere outside', async () => {
    const headers = { 'x-platform-api-key': platform.internalApiKey }
    for (const path of ['/sys/cleanup/indices', '/sys/cleanup/executions'])
      for (const credentials of [{ headers }, { token }]) {
        const answer = await call(platform.origin, 'POST', path, credentials)
        expect(answer.status, path).toBe(404)
      }
  })

  test('cleanIndices cleans for whoever has the internal key and asks the service itself', async () => {
    const { EVENTS_API_URL, EVENTS_PORT } = platform.env
    const origin = EVENTS_API_URL?.split(',')[0] ?? `http://127.0.0.1:${EVENTS_PORT}`
    for (const name of ['x-platform-internal-key', 'x-platform-api-key']) {
      const headers = { [name]: platform.internalApiKey }
      const answer = await call(origin, 'POST', '/sys/cleanup/indices', { headers })
      expect(answer).toMatchObject({ status: 200, json: { dryRun: false, done: true, expiredEvents: 0 } })
      const told = await call(origin, 'POST', '/sys/cleanup/indices?dryRun', { headers })
      expect(told).toMatchObject({ status: 200, json: { dryRun: true } })
    }
    expect((await call(origin, 'POST', '/sys/cleanup/indices')).status).toBe(401)
  })
})
