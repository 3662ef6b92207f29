import { deleteSecret, getSecrets, patchSecrets } from '@platform/contracts'
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

const on = (workspaceId: string, secretName = 'key') => ({ params: { workspaceId, secretName } })

async function newSecret() {
  const { id } = await runtime.workspace({})
  const params = { workspaceId: id }
  const body = { key: { value: 'x' }, prismeai_ratelimit_emits: { value: 9 } }
  await root()(patchSecrets, { params, body })
  return { id, params }
}

describe('DELETE /v2/workspaces/:workspaceId/security/secrets/:secretName', () => {
  test('deletes the secret and emits workspaces.secrets.updated', async () => {
    const { id, params } = await newSecret()
    expect(await ada()(deleteSecret, on(id))).toEqual({ secretName: 'key' })
    expect(await ada()(getSecrets, { params })).toEqual({})
    const event = (await runtime.events(id, 'workspaces.secrets.updated')).at(-1)
    expect(event?.payload).toEqual({ created: [], updated: [], deleted: ['key'] })
    await expect(ada()(deleteSecret, on(id))).rejects.toMatchObject({
      status: 404,
      name: 'ObjectNotFoundError',
    })
  })

  test('of the platform is for super administrators', async () => {
    const { id } = await newSecret()
    const name = 'prismeai_ratelimit_emits'
    await expect(ada()(deleteSecret, on(id, name))).rejects.toMatchObject({ status: 403 })
    expect(await root()(deleteSecret, on(id, name))).toEqual({ secretName: name })
  })

  test('refuses strange names, access tokens, strangers and callers without a credential', async () => {
    const { id } = await newSecret()
    const send = (name: string, principal = userPrincipal()) =>
      fetch(`${runtime.url}/v2/workspaces/${id}/security/secrets/${name}`, {
        method: 'DELETE',
        headers: runtime.headersOf(principal),
      })
    expect((await send('%00')).status).toBe(400)
    expect((await send('key', userPrincipal({ via: 'accessToken', sessionId: 'at:1' }))).status).toBe(403)
    await expect(runtime.as({ userId: 'eve' })(deleteSecret, on(id))).rejects.toMatchObject({ status: 404 })
    await expect(runtime.nobody(deleteSecret, on(id))).rejects.toMatchObject({ status: 401 })
    expect((await send('key')).status).toBe(200)
  })
})
