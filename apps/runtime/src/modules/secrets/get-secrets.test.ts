import { getSecrets, patchSecrets } from '@platform/contracts'
import { sql } from '@platform/database'
import { userPrincipal } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRuntime, type TestRuntime } from '../../../test/testing.ts'

let runtime: TestRuntime
beforeAll(async () => {
  runtime = await startRuntime()
})
afterAll(() => runtime[Symbol.asyncDispose]())

const ada = () => runtime.as({ userId: 'ada' })
const root = () => runtime.as({ userId: 'root', superAdmin: true })

const setBy = (name: string, scope: string, more = {}) => ({
  run: { module: 'secrets', function: 'set', parameters: { name, scope, value: 'canary', ...more } },
})

describe('GET /v2/workspaces/:workspaceId/security/secrets', () => {
  test('answers names and who set them, of people and of automations, and no value', async () => {
    const steps = [setBy('own', 'workspace', { ttl: 600 }), setBy('mine', 'user')]
    const { id, slug } = await runtime.workspace({ keep: { when: { endpoint: true }, do: steps } })
    await runtime.call(id, 'keep', { headers: runtime.headersOf(userPrincipal({ userId: 'ada' })) })
    await ada()(patchSecrets, {
      params: { workspaceId: id },
      body: { shopKey: { value: 'canary', description: 'Of the shop' }, 'a b.c/é': { value: { n: 1 } } },
    })

    const secrets = await ada()(getSecrets, { params: { workspaceId: `slug:${slug}` } })

    const at = expect.stringMatching(/^\d{4}-.*Z$/)
    const set = { createdAt: at, updatedAt: at }
    expect(secrets).toEqual({
      'a b.c/é': { ...set, createdBy: 'ada', updatedBy: 'ada' },
      own: { ...set, createdBy: 'automation:keep', updatedBy: 'automation:keep', expiresAt: at },
      shopKey: { ...set, createdBy: 'ada', updatedBy: 'ada', description: 'Of the shop' },
    })
    expect(JSON.stringify(secrets)).not.toContain('canary')
  })

  test('shows what was set before anybody was noted, and nothing that is over', async () => {
    const { id } = await runtime.workspace({})
    await runtime.database.many(sql`
      insert into runtime.secrets (workspace_id, scope, name, sealed, expires_at) values
        (${id}, 'workspace', 'old', 'x', null), (${id}, 'workspace', 'over', 'x', now() - interval '1 s'),
        (${id}, 'workspace', 'prismeai_early', 'x', null)`)
    const secrets = await root()(getSecrets, { params: { workspaceId: id } })
    expect(secrets).toEqual({ old: { createdAt: expect.any(String), updatedAt: expect.any(String) } })
  })

  test('shows names of the platform to super administrators alone', async () => {
    const { id } = await runtime.workspace({})
    await root()(patchSecrets, {
      params: { workspaceId: id },
      body: { prismeai_ratelimit_emits: { value: 5 } },
    })
    expect(await ada()(getSecrets, { params: { workspaceId: id } })).toEqual({})
    expect(Object.keys(await root()(getSecrets, { params: { workspaceId: id } }))).toEqual([
      'prismeai_ratelimit_emits',
    ])
  })

  test('has an ETag that changes with a value', async () => {
    const { id } = await runtime.workspace({})
    const get = (headers = {}) =>
      fetch(`${runtime.url}/v2/workspaces/${id}/security/secrets`, {
        headers: { ...runtime.headersOf(userPrincipal({ userId: 'ada' })), ...headers },
      })
    const set = (value: string) =>
      ada()(patchSecrets, { params: { workspaceId: id }, body: { key: { value } } })
    await set('one')
    const etag = (await get()).headers.get('etag') ?? ''
    expect((await get({ 'if-none-match': etag })).status).toBe(304)
    await set('two')
    expect((await get({ 'if-none-match': etag })).status).toBe(200)
  })

  test('is for owners: not for editors, keys, strangers and callers without a credential', async () => {
    const { id } = await runtime.workspace({})
    await runtime.database.many(
      sql`insert into permissions.members (workspace_id, user_id, role) values (${id}, 'ed', 'editor')`,
    )
    const params = { workspaceId: id }
    await expect(runtime.as({ userId: 'ed' })(getSecrets, { params })).rejects.toMatchObject({ status: 403 })
    const apiKey = { kind: 'apiKey', apiKeyId: '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33' } as const
    const byKey = await fetch(`${runtime.url}/v2/workspaces/${id}/security/secrets`, {
      headers: runtime.headersOf(apiKey),
    })
    expect(byKey.status).toBe(403)
    const stranger = runtime.as({ userId: 'eve' })
    const refusals = await Promise.all(
      [id, 'w0000000000000000'].map((workspaceId) =>
        stranger(getSecrets, { params: { workspaceId } }).catch((error: unknown) => JSON.stringify(error)),
      ),
    )
    expect(refusals[0]).toContain('ObjectNotFoundError')
    expect(refusals[0]).toBe(refusals[1])
    await expect(runtime.nobody(getSecrets, { params })).rejects.toMatchObject({ status: 401 })
  })
})
