import { listSubscriptions } from '@platform/contracts'
import { describe, expect } from 'vitest'
import { refusesOthers, subscribed, test } from '../../test/subscription-fixture.ts'

describe('listing subscriptions', () => {
  test('answers newest first, page by page, without secrets', async ({ service, workspaceId, receiver }) => {
    const made = [
      await subscribed(service, workspaceId, receiver.url),
      await subscribed(service, workspaceId, receiver.url),
    ]
    const page = (number: string) =>
      service.as({ userId: 'eve' })(listSubscriptions, {
        params: { workspaceId },
        query: { page: number, limit: '1' },
      })
    expect((await page('0')).map(({ id }) => id)).toEqual([made[1]?.id])
    expect((await page('1')).map(({ id }) => id)).toEqual([made[0]?.id])
    expect(await page('2')).toEqual([])
    expect(JSON.stringify(await page('0'))).not.toContain('whsec_')
  })

  test('refuses a limit over 100', async ({ service, workspaceId }) => {
    const attempt = service.as({})(listSubscriptions, { params: { workspaceId }, query: { limit: '101' } })
    await expect(attempt).rejects.toMatchObject({ status: 400 })
  })

  refusesOthers(listSubscriptions)
})
