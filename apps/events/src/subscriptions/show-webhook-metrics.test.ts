import { pauseSubscription } from '@platform/contracts'
import { describe, expect, vi } from 'vitest'
import { emitOrders, SOON, subscribed, test } from './testing.ts'

describe('the metrics of webhooks', () => {
  test('say what waits, what is paused and how tries ended', async ({ service, workspaceId, receiver }) => {
    receiver.respond = ({ body }, response) =>
      response.writeHead(body.data.payload.number === 1 ? 500 : 200).end()
    await subscribed(service, workspaceId, receiver.url)
    const { id } = await subscribed(service, workspaceId, receiver.url, { events: ['other'] })
    await service.as({})(pauseSubscription, { params: { workspaceId, subscriptionId: id } })
    await emitOrders(service, workspaceId, 1, 2)
    await vi.waitFor(async () => {
      const page = await fetch(`${service.url}/metrics`, { headers: service.headersOf({ kind: 'internal' }) })
      const text = await page.text()
      expect(text).toMatch(/^platform_webhooks_pending\S* 1$/m)
      expect(text).toMatch(/^platform_webhooks_paused\S* 1$/m)
      expect(text).toMatch(/^platform_webhooks_oldest_due_seconds\S* \d/m)
      expect(text).toMatch(/^platform_webhook_tries_total\{[^}]*outcome="refused"[^}]*\} [1-9]/m)
      expect(text).toMatch(/^platform_webhook_tries_total\{[^}]*outcome="delivered"[^}]*\} 1$/m)
    }, SOON)
  })
})
