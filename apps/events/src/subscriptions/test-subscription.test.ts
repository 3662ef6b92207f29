import { listEvents, pauseSubscription, testSubscription } from '@platform/contracts'
import { Webhook } from 'standardwebhooks'
import { describe, expect } from 'vitest'
import { refusesOthers, subscribed, test } from './testing.ts'

describe('testing a subscription', () => {
  test('sends a signed webhook.test now, also to a paused one, and answers how it went', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    const { id, secret } = await subscribed(service, workspaceId, receiver.url)
    const params = { workspaceId, subscriptionId: id }
    const ada = service.as({ userId: 'ada' })
    await ada(pauseSubscription, { params })
    const tried = await ada(testSubscription, { params })
    expect(tried).toMatchObject({ outcome: 'delivered', status: 200, response: 'thanks', error: null })
    const [got] = receiver.got
    expect(got?.headers['webhook-id']).toBe(tried.id)
    expect(new Webhook(secret).verify(got?.text ?? '', got?.headers as Record<string, string>)).toMatchObject(
      {
        type: 'webhook.test',
        data: { payload: { subscriptionId: id } },
      },
    )
    const feed = await ada(listEvents, { params: { workspaceId } })
    expect(feed.result.events).toEqual([])
  })

  test.for([
    [503, 'refused'],
    [404, 'refused'],
    [302, 'refused'],
  ] as const)(
    'answers that the endpoint says %s',
    async ([status, outcome], { service, workspaceId, receiver }) => {
      receiver.respond = (_, response) => response.writeHead(status, { location: '/elsewhere' }).end('no')
      const { id } = await subscribed(service, workspaceId, receiver.url)
      const tried = await service.as({})(testSubscription, { params: { workspaceId, subscriptionId: id } })
      expect(tried).toMatchObject({
        outcome,
        status,
        response: 'no',
        error: `The endpoint answered ${status}.`,
      })
    },
  )

  test('answers that the address is not allowed', async ({ service, workspaceId }) => {
    for (const url of ['http://10.0.0.1/hook', 'http://169.254.169.254/latest', 'http://[::1]:8080/']) {
      const { id } = await subscribed(service, workspaceId, url)
      const tried = await service.as({})(testSubscription, { params: { workspaceId, subscriptionId: id } })
      expect(tried).toMatchObject({ outcome: 'blocked', status: null })
      expect(tried.error).toContain('WEBHOOKS_ALLOWED_HOSTS')
    }
  })

  refusesOthers(testSubscription)
})
