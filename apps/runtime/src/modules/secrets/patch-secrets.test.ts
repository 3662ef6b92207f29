import { getSecrets, patchSecrets } from '@platform/contracts'
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

describe('PATCH /v2/workspaces/:workspaceId/security/secrets', () => {
  test('sets some, leaves the others, and emits workspaces.secrets.updated', async () => {
    const { id } = await runtime.workspace({})
    const params = { workspaceId: id }
    await ada()(patchSecrets, { params, body: { a: { value: '1', description: 'A' }, b: { value: '2' } } })
    const secrets = await root()(patchSecrets, {
      params,
      body: { a: { value: 'new' }, c: { value: true }, b: { description: 'B' } },
    })
    expect(secrets).toMatchObject({
      a: { description: 'A', createdBy: 'ada', updatedBy: 'root' },
      b: { description: 'B', createdBy: 'ada', updatedBy: 'root' },
      c: { createdBy: 'root' },
    })
    const cleared = await ada()(patchSecrets, { params, body: { a: { description: null } } })
    expect(cleared.a).not.toHaveProperty('description')
    const events = await runtime.events(id, 'workspaces.secrets.updated')
    expect(events.map(({ payload }) => payload)).toEqual([
      { created: ['a', 'b'], updated: [], deleted: [] },
      { created: ['c'], updated: ['a', 'b'], deleted: [] },
      { created: [], updated: ['a'], deleted: [] },
    ])
    expect(await ada()(getSecrets, { params })).toEqual(cleared)
  })

  test('has an ETag, and heeds If-Match', async () => {
    const { id } = await runtime.workspace({})
    const patch = (value: string, headers = {}) =>
      fetch(`${runtime.url}/v2/workspaces/${id}/security/secrets`, {
        method: 'PATCH',
        headers: { ...runtime.headersOf(userPrincipal()), 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ key: { value } }),
      })
    const etag = (await patch('one')).headers.get('etag') ?? ''
    expect((await patch('two', { 'if-match': etag })).status).toBe(200)
    expect((await patch('three', { 'if-match': etag })).status).toBe(412)
  })

  test('refuses what is wrong, names of the platform, strangers and callers without a credential', async () => {
    const { id } = await runtime.workspace({})
    const params = { workspaceId: id }
    const body = { key: { value: 'x' } }
    await expect(ada()(patchSecrets, { params, body: { key: {} } })).rejects.toMatchObject({ status: 400 })
    const system = { prismeai_ratelimit_emits: { value: 1 } }
    await expect(ada()(patchSecrets, { params, body: system })).rejects.toMatchObject({ status: 403 })
    await expect(runtime.as({ userId: 'eve' })(patchSecrets, { params, body })).rejects.toMatchObject({
      status: 404,
    })
    await expect(runtime.nobody(patchSecrets, { params, body })).rejects.toMatchObject({ status: 401 })
    expect(await root()(getSecrets, { params })).toEqual({})
  })
})
