import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SignedIn } from '../../test/signed-in.ts'
import { startIdentity, type TestIdentity } from '../../test/start-identity.ts'

let gateway: TestIdentity
let root: SignedIn
beforeAll(async () => {
  gateway = await startIdentity()
  root = await gateway.signIn({ superAdmin: true })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const ask = (
  who: SignedIn,
  method: string,
  path: string,
  options: { body?: object; headers?: object } = {},
) =>
  fetch(`${gateway.url}${path}`, {
    method,
    headers: { ...who.headers, 'content-type': 'application/json', ...options.headers },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  })
const tagOf = async (who: SignedIn, path: string) => (await ask(who, 'GET', path)).headers.get('etag') ?? ''

describe('the tag of an account', () => {
  test('is strong, and who has it is told so', async () => {
    const ada = await gateway.signIn()
    for (const path of ['/v2/me', `/v2/users/${ada.userId}`]) {
      const tag = await tagOf(ada, path)
      expect(tag).toMatch(/^"[\w-]+\.[\w-]+"$/)
      const again = await ask(ada, 'GET', path, { headers: { 'if-none-match': tag } })
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag])
    }
  })

  test('changes with the account and with what is shown beside it', async () => {
    const ada = await gateway.signIn()
    const other = await gateway.signIn({ userId: ada.userId })
    const before = await tagOf(ada, '/v2/me')
    expect(await tagOf(other, '/v2/me')).not.toBe(before)
    await ask(ada, 'PATCH', '/v2/user', { body: { firstName: 'Ada' } })
    expect(await tagOf(ada, '/v2/me')).not.toBe(before)
  })

  test.each([
    ['PATCH', '/v2/user', { firstName: 'B' }],
    ['POST', '/v2/user/meta', { b: 1 }],
    ['DELETE', '/v2/user/meta/a', undefined],
  ])('guards %s %s with the tag of any address of the account', async (method, path, body) => {
    const ada = await gateway.signIn()
    const stale = await tagOf(ada, '/v2/me')
    await ask(ada, 'PATCH', '/v2/user', { body: { meta: { a: 1 } } })
    const change = (tag: string) =>
      ask(ada, method, path, { ...(body && { body }), headers: { 'if-match': tag } })
    const refused = await change(stale)
    expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([
      412,
      'PreconditionFailed',
    ])
    expect((await change('W/"x"')).status).toBe(412)
    expect((await change('x')).status).toBe(400)
    expect((await change(await tagOf(ada, `/v2/users/${ada.userId}`))).status).toBe(200)
  })

  test('answered by a change is good for the next one', async () => {
    const ada = await gateway.signIn()
    let tag = await tagOf(ada, '/v2/me')
    for (const firstName of ['A', 'B', 'C']) {
      const changed = await ask(ada, 'PATCH', '/v2/user', {
        body: { firstName },
        headers: { 'if-match': tag },
      })
      expect(changed.status).toBe(200)
      tag = changed.headers.get('etag') ?? ''
    }
  })

  test('guards what administrators do', async () => {
    const eve = await gateway.signIn()
    const path = `/v2/users/${eve.userId}`
    const stale = await tagOf(root, path)
    const patched = await ask(root, 'PATCH', path, {
      body: { firstName: 'Eve' },
      headers: { 'if-match': stale },
    })
    expect(patched.status).toBe(200)
    const headers = { 'if-match': stale }
    expect((await ask(root, 'PATCH', path, { body: { firstName: 'X' }, headers })).status).toBe(412)
    expect((await ask(root, 'DELETE', path, { headers })).status).toBe(412)
    const fresh = { 'if-match': await tagOf(root, path) }
    expect((await ask(root, 'DELETE', path, { headers: fresh })).status).toBe(200)
    expect((await ask(root, 'DELETE', path, { headers: fresh })).status).toBe(404)
  })

  test('of two who edit at once, one is told that the other was faster', async () => {
    const ada = await gateway.signIn()
    const headers = { 'if-match': await tagOf(ada, '/v2/me') }
    const both = await Promise.all(
      ['A', 'B'].map((firstName) => ask(ada, 'PATCH', '/v2/user', { body: { firstName }, headers })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
  })
})

test('the published keys have a tag, so that verifiers need not load them again', async () => {
  const first = await fetch(`${gateway.url}/oidc/jwks`)
  const etag = first.headers.get('etag') ?? ''
  const again = await fetch(`${gateway.url}/oidc/jwks`, { headers: { 'if-none-match': etag } })
  expect([again.status, again.headers.get('cache-control')]).toEqual([
    304,
    first.headers.get('cache-control'),
  ])
})
