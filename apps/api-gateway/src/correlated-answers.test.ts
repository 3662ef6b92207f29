import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGateway, startUpstream, type TestGateway, type Upstream } from '../test/start-gateway.ts'

let upstream: Upstream
let gateway: TestGateway
beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    const status = Number(new URL(request.url ?? '', 'http://x').searchParams.get('status') ?? 200)
    request.resume()
    // A service may say what it likes: the client hears one id.
    response
      .writeHead(status, { 'x-correlation-id': 'of-the-service' })
      .end(status === 200 ? '{}' : undefined)
  })
  gateway = await startGateway({
    env: { WORKSPACES_API_URL: upstream.url },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const json = { 'content-type': 'application/json' }
const answers: [
  what: string,
  status: number,
  method: string,
  path: string,
  options?: RequestInit & { as?: 'ada' },
][] = [
  ['the status', 200, 'GET', '/'],
  ['the status, HEAD', 200, 'HEAD', '/'],
  ['is it alive', 200, 'GET', '/sys/livez'],
  ['is it ready', 200, 'GET', '/sys/readyz'],
  ['its report without the key', 401, 'GET', '/sys/readiness'],
  ['its metrics without the key', 401, 'GET', '/metrics'],
  ['the keys', 200, 'GET', '/oidc/jwks'],
  ['the keys, unchanged', 304, 'GET', '/oidc/jwks', { headers: { 'if-none-match': '*' } }],
  ['the discovery', 200, 'GET', '/oidc/.well-known/openid-configuration'],
  ['an error page of the OIDC server', 400, 'GET', '/oidc/auth?client_id=nobody'],
  ['a refused token', 400, 'POST', '/oidc/token'],
  ['nothing of the OIDC server', 404, 'GET', '/oidc/nowhere'],
  ['the way to sign in', 303, 'GET', '/signin'],
  ['a sign-in nobody began', 400, 'GET', '/signin/callback'],
  ['a retired version', 410, 'GET', '/v1/me'],
  ['a version nobody knows', 404, 'GET', '/v99/me'],
  ['nobody', 401, 'GET', '/v2/me'],
  ['a forged credential', 401, 'GET', '/v2/me', { headers: { authorization: 'Bearer x.y.z' } }],
  ['the caller', 200, 'GET', '/v2/me', { as: 'ada' }],
  ['what is not for the caller', 403, 'GET', '/v2/platform/signing-keys', { as: 'ada' }],
  ['another method', 405, 'PUT', '/v2/me', { as: 'ada' }],
  ['nothing there', 404, 'GET', '/v2/nowhere', { as: 'ada' }],
  ['a bad body', 400, 'PATCH', '/v2/user', { as: 'ada', headers: json, body: '{' }],
  [
    'a type nobody reads',
    415,
    'PATCH',
    '/v2/user',
    { as: 'ada', headers: { 'content-type': 'text/xml' }, body: '<a/>' },
  ],
  ['a path that is none', 400, 'GET', '/v2/%ff'],
  ['a service', 200, 'GET', '/v2/workspaces', { as: 'ada' }],
  ['an empty answer of a service', 204, 'GET', '/v2/workspaces?status=204', { as: 'ada' }],
  ['nothing new from a service', 304, 'GET', '/v2/workspaces?status=304', { as: 'ada' }],
  ['an error of a service', 500, 'GET', '/v2/workspaces?status=500', { as: 'ada' }],
  ['a service that is not there', 503, 'GET', '/v2/workspaces/w/events', { as: 'ada' }],
]

test.each(answers)(
  'the correlation id of the client is on %s (%d %s %s)',
  async (_, status, method, path, options = {}) => {
    const { as, ...init } = options
    const who = as === undefined ? {} : (await gateway.signIn()).headers
    const given = `given-for-${status}`
    const ask = (id: Record<string, string>) =>
      fetch(gateway.url + path, {
        redirect: 'manual',
        ...init,
        method,
        headers: { ...who, ...(init.headers as Record<string, string>), ...id },
      })
    const response = await ask({ 'x-correlation-id': given })
    expect([response.status, response.headers.get('x-correlation-id')]).toEqual([status, given])
    await response.arrayBuffer()
    const forged = await ask({
      'x-correlation-id': '"; drop',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    })
    expect(forged.headers.get('x-correlation-id')).toBe('4bf92f3577b34da6a3ce929d0e0e4736')
    await forged.arrayBuffer()
  },
)
