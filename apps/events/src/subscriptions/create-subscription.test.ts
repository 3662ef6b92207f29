import { createSubscription, getSubscription, patchSubscription, testSubscription } from '@platform/contracts'
import { sql } from '@platform/database'
import { apiKeyStore, grantRules, rulesOf } from '@platform/permissions'
import { apiKeyRecord } from '@platform/permissions/testing'
import { startTestService } from '@platform/testing'
import { describe, expect } from 'vitest'
import { newWorkspace, refusesOthers, subscribed, test } from '../../test/subscription-fixture.ts'
import { events } from '../service.ts'

describe('creating a subscription', () => {
  test('answers it with a secret that nothing answers again', async ({ service, workspaceId, receiver }) => {
    const eve = service.as({ userId: 'eve' })
    const body = {
      url: receiver.url,
      name: 'Orders',
      events: ['order.*', 'invoice.paid'],
      filter: { 'payload.city': ['Lyon', 'L*'] },
      headers: { 'X-Key': 'header-value-1' },
    }
    const made = await eve(createSubscription, { params: { workspaceId }, body })
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(made).toMatchObject({
      ...body,
      headers: ['x-key'],
      active: true,
      createdBy: 'eve',
      maxConcurrency: 5,
    })
    const shown = await eve(getSubscription, { params: { workspaceId, subscriptionId: made.id } })
    const { secret, ...rest } = made
    expect(shown).toEqual(rest)
    const [row] = await service.database.many<{ row: string }>(
      sql`select row_to_json(s)::text as row from events.subscriptions s where id = ${made.id}`,
    )
    expect(row?.row).not.toContain('header-value-1')
    expect(row?.row).not.toContain(secret.slice('whsec_'.length))
  })

  test('is done once with one Idempotency-Key, and the secret is not shown twice', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    const ada = service.as({ userId: 'ada' })
    const input = {
      params: { workspaceId },
      body: { url: receiver.url, events: ['*'] },
      headers: { 'idempotency-key': 'once-1' },
    }
    const { id } = await ada(createSubscription, input)
    await expect(ada(createSubscription, input)).rejects.toMatchObject({ status: 409, details: { _id: id } })
  })

  test('is refused where its filter looks for too much in every event', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    const ada = service.as({ userId: 'ada' })
    const values = (from: number, count: number) => Array.from({ length: count }, (_, n) => `*${from + n}*`)
    const create = (filter: Record<string, string[]>) =>
      ada(createSubscription, { params: { workspaceId }, body: { url: receiver.url, events: ['*'], filter } })
    const refused = (sentence: string) =>
      expect.objectContaining({ status: 400, message: expect.stringContaining(sentence) })
    await expect(create({ 'payload.a': values(0, 30) })).rejects.toEqual(refused('31 paths and wildcards'))
    await expect(create({ 'payload.a': ['*a'.repeat(11)] })).rejects.toEqual(
      refused('more than 10 wildcards'),
    )
    const long = Array.from({ length: 50 }, (_, n) => String(n).padEnd(450, 'x'))
    await expect(create({ 'payload.a': long })).rejects.toEqual(refused('characters: it may have 20000.'))

    for (let n = 0; n < 3; n += 1) await create({ 'payload.a': values(29 * n, 29) })
    await expect(create({ 'payload.a': values(400, 20) })).rejects.toEqual(
      refused('different paths and wildcards'),
    )
    // What others look for anyway costs nothing more.
    const { id } = await create({ 'payload.a': values(0, 29) })
    const patch = (filter: Record<string, string[]>) =>
      ada(patchSubscription, { params: { workspaceId, subscriptionId: id }, body: { filter } })
    await expect(patch({ 'payload.a': values(400, 20) })).rejects.toEqual(
      refused('different paths and wildcards'),
    )
    await patch({ 'payload.a': values(29, 29) })
  })

  test('warns of an address that will be refused, also when it is changed to one', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    const ada = service.as({ userId: 'ada' })
    const message =
      'Nothing will be delivered: 10.0.0.1 is not a public address: ' +
      'an operator can allow it with WEBHOOKS_ALLOWED_HOSTS.'
    const body = { url: 'http://10.0.0.1/hook', events: ['*'] }
    const made = await ada(createSubscription, { params: { workspaceId }, body })
    expect(made.warnings).toEqual([{ path: 'url', message }])
    const params = { workspaceId, subscriptionId: made.id }
    const better = await ada(patchSubscription, { params, body: { url: receiver.url } })
    expect(better).not.toHaveProperty('warnings')
    const worse = await ada(patchSubscription, { params, body: { url: body.url } })
    expect(worse.warnings).toEqual([{ path: 'url', message }])
    expect(await ada(getSubscription, { params })).not.toHaveProperty('warnings')
  })

  test('of this machine needs no allowance in development, where only this machine reaches the platform', async ({
    receiver,
  }) => {
    const made = async (env: Record<string, string>) => {
      await using service = await startTestService(events, { env })
      const workspaceId = await newWorkspace(service)
      const { id, warnings } = await subscribed(service, workspaceId, receiver.url)
      const params = { workspaceId, subscriptionId: id }
      const { outcome } = await service.as({ userId: 'ada' })(testSubscription, { params })
      return [outcome, warnings?.length ?? 0]
    }
    const development = { NODE_ENV: 'development', HOST: '127.0.0.1', API_URL: 'http://localhost:3001/v2' }
    expect(await made(development)).toEqual(['delivered', 0])
    expect(await made({ ...development, NODE_ENV: 'production' })).toEqual(['blocked', 1])
    expect(await made({ ...development, HOST: '0.0.0.0' })).toEqual(['blocked', 1])
    expect(await made({ ...development, API_URL: 'https://api.example.com/v2' })).toEqual(['blocked', 1])
  })

  test.for([
    [{ url: 'ftp://example.com' }],
    [{ url: 'https://user:word@example.com' }],
    [{ url: 'not an address' }],
    [{ events: [] }],
    [{ events: ['a/b'] }],
    [{ filter: { 'other.path': 'x' } }],
    [{ headers: { 'webhook-id': 'x' } }],
    [{ headers: { host: 'x' } }],
    [{ headers: { 'x-a': 'line\nbreak' } }],
    [{ maxConcurrency: 21 }],
    [{ secret: 'mine' }],
  ])('refuses %j', async ([change], { service, workspaceId }) => {
    const body = { url: 'https://example.com/hook', events: ['*'], ...change } as never
    const attempt = service.as({ userId: 'ada' })(createSubscription, { params: { workspaceId }, body })
    await expect(attempt).rejects.toMatchObject({ name: 'RequestValidationError', status: 400 })
  })

  test('is refused beyond as many as a workspace may have', async () => {
    await using service = await startTestService(events, { env: { WEBHOOKS_MAX_PER_WORKSPACE: '2' } })
    const workspaceId = await newWorkspace(service)
    const attempts = await Promise.allSettled(
      [1, 2, 3, 4].map(() => subscribed(service, workspaceId, 'https://example.com/hook')),
    )
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(attempts.find((one) => one.status === 'rejected')?.reason).toMatchObject({
      name: 'ForbiddenError',
    })
  })

  test('is refused for an API key that may only read', async ({ service, workspaceId, receiver }) => {
    const rules = grantRules(
      [{ action: 'read', subject: 'workspaces' }],
      workspaceId,
      rulesOf({ kind: 'internal' }, undefined),
    )
    const key = apiKeyRecord({ workspaceId, createdBy: 'ada', rules })
    await apiKeyStore(service.database).insert(key, key.id)
    const headers = service.headersOf({ kind: 'apiKey', apiKeyId: key.id })
    const body = { url: receiver.url, events: ['*'] }
    const attempt = service.nobody(createSubscription, { params: { workspaceId }, body, headers })
    await expect(attempt).rejects.toMatchObject({ name: 'ForbiddenError', status: 403 })
  })

  refusesOthers(createSubscription, { url: 'https://example.com/hook', events: ['*'] })
})
