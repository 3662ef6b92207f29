import type { Socket } from 'node:net'
import { pauseSubscription } from '@platform/contracts'
import { startTestService, type TestService } from '@platform/testing'
import { describe, expect, vi } from 'vitest'
import { emitOrders, LOCAL, newWorkspace, SOON, subscribed, test } from '../../test/subscription-fixture.ts'
import { events } from '../service.ts'

const pageOf = async (service: TestService): Promise<string> => {
  const page = await fetch(`${service.url}/metrics`, { headers: service.headersOf({ kind: 'internal' }) })
  return await page.text()
}

describe('the metrics of webhooks', () => {
  test('say what waits, what is paused and how tries ended', async ({ service, workspaceId, receiver }) => {
    receiver.respond = ({ body }, response) =>
      response.writeHead(body.data.payload.number === 1 ? 500 : 200).end()
    await subscribed(service, workspaceId, receiver.url)
    const { id } = await subscribed(service, workspaceId, receiver.url, { events: ['other'] })
    await service.as({})(pauseSubscription, { params: { workspaceId, subscriptionId: id } })
    await emitOrders(service, workspaceId, 1, 2)
    await vi.waitFor(async () => {
      const text = await pageOf(service)
      expect(text).toMatch(/^platform_webhooks_pending\S* 1$/m)
      expect(text).toMatch(/^platform_webhooks_paused\S* 1$/m)
      expect(text).toMatch(/^platform_webhooks_oldest_due_seconds\S* \d/m)
      expect(text).toMatch(/^platform_webhook_tries_total\{[^}]*outcome="refused"[^}]*\} [1-9]/m)
      expect(text).toMatch(/^platform_webhook_tries_total\{[^}]*outcome="delivered"[^}]*\} 1$/m)
    }, SOON)
  })

  test('are told by no service that was closed, and its connections end with it', async ({
    service,
    receiver,
  }) => {
    const sockets: (Socket | null)[] = []
    receiver.respond = (_, response) => {
      sockets.push(response.socket)
      response.end()
    }
    const paused = async () =>
      Number((await pageOf(service)).match(/^platform_webhooks_paused\S* (\d+)$/m)?.[1])
    const before = await paused()
    const closing = await startTestService(events, { env: LOCAL })
    const workspaceId = await newWorkspace(closing)
    const { id } = await subscribed(closing, workspaceId, receiver.url)
    await emitOrders(closing, workspaceId, 1)
    await vi.waitFor(() => expect(receiver.got).toHaveLength(1), SOON)
    await closing.as({})(pauseSubscription, { params: { workspaceId, subscriptionId: id } })
    expect([await paused(), sockets.map((socket) => socket?.destroyed)]).toEqual([before + 1, [false]])
    await closing[Symbol.asyncDispose]()
    expect(await paused()).toBe(before)
    await vi.waitFor(() => expect(sockets.map((socket) => socket?.destroyed)).toEqual([true]), SOON)
  })
})
