import { createWorkspace, getWorkspace, workspaceCreated } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces, unique } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('POST /v2/workspaces', () => {
  it('makes a workspace the caller owns', async () => {
    const ada = service.as({ userId: unique('ada') })
    const created = await ada(createWorkspace, { body: { name: 'Café du Port', labels: ['team:food'] } })
    expect(created).toMatchObject({ name: 'Café du Port', labels: ['team:food'] })
    expect(created.id).toMatch(/^[a-z][a-z0-9]{15}$/)
    expect(created.slug).toMatch(/^cafe-du-port-[a-z0-9]{6}$/)
    expect(await ada(getWorkspace, { params: { workspaceId: created.id } })).toEqual({
      ...created,
      automations: {},
    })
  })

  it('keeps a slug that was asked for', async () => {
    const slug = unique('mine')
    const ada = service.as({})
    const { id } = await ada(createWorkspace, { body: { name: 'Mine', slug } })
    expect((await ada(getWorkspace, { params: { workspaceId: `slug:${slug}` } })).id).toBe(id)
  })

  it('emits workspaces.created in the same transaction', async () => {
    const { workspace, ownerId } = await service.newWorkspace()
    const [event] = await service.eventsOf(workspace.id)
    expect(event).toMatchObject({ type: workspaceCreated.type, payload: { workspace } })
    expect(event?.source).toMatchObject({
      userId: ownerId,
      workspaceId: workspace.id,
      ip: 'private',
      host: { service: 'workspaces' },
    })
  })

  it('emits a workspace that is too large for an event without its large fields', async () => {
    const config = { value: { text: 'x'.repeat(200_000) } }
    const created = await service.as({})(createWorkspace, { body: { name: 'Large', config } })
    expect(created.config).toEqual(config)
    const [event] = await service.eventsOf(created.id)
    expect(event?.payload).toMatchObject({ workspace: { id: created.id, truncated: true } })
    expect(JSON.stringify(event?.payload)).not.toContain('xxx')
  })

  it('lets exactly one of ten callers have a slug', async () => {
    const slug = unique('race')
    const tries = Array.from({ length: 10 }, (_, index) =>
      service.as({ userId: `racer-${index}` })(createWorkspace, { body: { name: 'Race', slug } }),
    )
    const results = await Promise.allSettled(tries)
    const losers = results.filter((result) => result.status === 'rejected')
    expect(losers).toHaveLength(9)
    for (const { reason } of losers) expect(reason).toMatchObject({ name: 'AlreadyUsed', status: 409 })
    const rows = await service.database.many(sql`select 1 from workspaces.workspaces where slug = ${slug}`)
    expect(rows).toHaveLength(1)
  })

  it.each([
    [{}, 'body.name'],
    [{ name: 'x', owner: 'me' }, 'body.owner'],
    [{ name: 'x'.repeat(61) }, 'body.name'],
    [{ name: '   ' }, 'body.name'],
    [{ name: 'ok', slug: 'Not A Slug' }, 'body.slug'],
    [{ name: 'ok', config: { values: {} } }, 'body.config.values'],
  ])('refuses %j and names %s', async (body, path) => {
    const response = await service.send('/v2/workspaces', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: 'RequestValidationError', details: [{ path }] })
  })

  it.each([
    ['a NUL escape', '{"name": "a\\u0000b"}'],
    ['duplicate keys', '{"name": "a", "name": "b"}'],
    ['a prototype key', '{"name": "a", "__proto__": {}}'],
    ['half a surrogate pair', '{"name": "\\ud800"}'],
  ])('refuses %s', async (_, body) => {
    const headers = { 'content-type': 'application/json' }
    const response = await service.send('/v2/workspaces', { method: 'POST', headers, body })
    expect(response.status).toBe(400)
  })

  it('refuses callers without a credential, without an account and without a user', async () => {
    const body = { name: 'Nope' }
    await expect(service.nobody(createWorkspace, { body })).rejects.toMatchObject({ status: 401 })
    await expect(service.as({ anonymous: true })(createWorkspace, { body })).rejects.toMatchObject({
      status: 403,
    })
    await expect(service.internal(createWorkspace, { body })).rejects.toMatchObject({ status: 403 })
    await expect(
      service.as({ scopes: ['workspaces:read'] })(createWorkspace, { body }),
    ).rejects.toMatchObject({
      name: 'InsufficientScope',
    })
  })
})

describe('the limit of new workspaces', () => {
  it('is three a minute for a user', async () => {
    await using limited = await startWorkspaces({ RATE_LIMIT_DISABLED: 'false' })
    const [ada, bob] = ['ada', 'bob'].map((userId) => limited.as({ userId }))
    const create = (who = ada) => who?.(createWorkspace, { body: { name: 'One' } })
    for (let count = 0; count < 3; count += 1) await create()
    await expect(create()).rejects.toMatchObject({ name: 'TooManyRequests', retryAfterSeconds: 60 })
    await create(bob)
  })

  it('counts what was created: neither a refused body nor an answer that is given again', async () => {
    await using limited = await startWorkspaces({
      RATE_LIMIT_DISABLED: 'false',
      RATE_LIMIT_CREATE_WORKSPACE: '2',
    })
    const ada = limited.as({ userId: 'ada' })
    const refused = { name: '' }
    for (let count = 0; count < 3; count += 1)
      await expect(ada(createWorkspace, { body: refused })).rejects.toMatchObject({ status: 400 })
    const headers = { 'idempotency-key': unique('key') }
    const create = () => ada(createWorkspace, { body: { name: 'One' }, headers })
    const first = await create()
    for (let count = 0; count < 3; count += 1) expect((await create()).id).toBe(first.id)
    await ada(createWorkspace, { body: { name: 'Two' } })
    await expect(ada(createWorkspace, { body: { name: 'Three' } })).rejects.toMatchObject({
      name: 'TooManyRequests',
      message: expect.stringMatching(/the limit create-workspace is 2 a minute; try again in \d+ seconds\.$/),
    })
  })
})
