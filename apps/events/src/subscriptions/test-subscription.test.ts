import type { ServerResponse } from 'node:http'
import { openAudit } from '@platform/audit'
import { listEvents, pauseSubscription, testSubscription } from '@platform/contracts'
import { systemClock } from '@platform/kernel'
import { startTestService } from '@platform/testing'
import { Webhook } from 'standardwebhooks'
import { describe, expect } from 'vitest'
import { LOCAL, newWorkspace, refusesOthers, subscribed, test } from '../../test/subscription-fixture.ts'
import { events } from '../service.ts'

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

  test('is sent once with one Idempotency-Key', async ({ service, workspaceId, receiver }) => {
    const { id } = await subscribed(service, workspaceId, receiver.url)
    const input = {
      params: { workspaceId, subscriptionId: id },
      headers: { 'idempotency-key': `test-${id}` },
    }
    const ada = service.as({ userId: 'ada' })
    expect(await ada(testSubscription, input)).toEqual(await ada(testSubscription, input))
    expect(receiver.got).toHaveLength(1)
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

  test.for([
    [
      'answers nothing',
      () => undefined,
      {
        outcome: 'timeout',
        error: 'The endpoint did not answer within 2.5 s. A delivery waits for 15 s.',
      },
    ],
    [
      'goes on and on',
      (response: ServerResponse) => {
        response.write('some')
        const timer = setInterval(() => response.write(' more'), 200)
        response.once('close', () => clearInterval(timer))
      },
      { outcome: 'delivered', status: 200 },
    ],
  ] as const)(
    'answers within three seconds where the endpoint %s',
    async ([, respond, expected], { service, workspaceId, receiver }) => {
      receiver.respond = (_, response) => void respond(response)
      const { id } = await subscribed(service, workspaceId, receiver.url)
      const begun = performance.now()
      const tried = await service.as({})(testSubscription, { params: { workspaceId, subscriptionId: id } })
      expect(tried).toMatchObject(expected)
      expect(performance.now() - begun).toBePrompt(4000)
    },
  )

  test('is remembered in the audit trail, by host alone', async ({ service, workspaceId, receiver }) => {
    const { id } = await subscribed(service, workspaceId, `${receiver.url}?key=hidden`)
    const params = { workspaceId, subscriptionId: id }
    await service.as({ userId: 'eve' })(testSubscription, { params })
    const audit = await openAudit({ database: service.database, clock: systemClock })
    const rows = await audit.list({ subject: `subscription:${id}`, limit: 10 })
    const { host } = new URL(receiver.url)
    expect(rows).toMatchObject([
      { action: 'subscription.tested', actor: 'user:eve', details: { workspaceId, host } },
    ])
    expect(JSON.stringify(rows)).not.toContain('hidden')
  })

  test('may be done so many times a minute in a workspace, whoever asks and by whatever address', async ({
    receiver,
  }) => {
    const env = { ...LOCAL, RATE_LIMIT_DISABLED: 'false', RATE_LIMIT_WEBHOOK_TESTS: '4' }
    await using service = await startTestService(events, { env })
    const workspaceId = await newWorkspace(service)
    const other = await newWorkspace(service)
    const { id } = await subscribed(service, workspaceId, receiver.url)
    const send = (userId: string, address: string) =>
      service.as({ userId })(testSubscription, { params: { workspaceId: address, subscriptionId: id } })
    for (const userId of ['ada', 'eve']) {
      await send(userId, workspaceId)
      await send(userId, `slug:${workspaceId}`)
    }
    await expect(send('eve', workspaceId)).rejects.toMatchObject({ name: 'TooManyRequests', status: 429 })
    await expect(send('eve', other)).rejects.toMatchObject({ status: 404 })
    expect(receiver.got).toHaveLength(4)
  })

  refusesOthers(testSubscription)
})
