import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  CONSOLE,
  startGateway,
  startUpstream,
  type TestGateway,
  type Upstream,
} from '../../test/start-gateway.ts'

const EXTRA = 'https://partner.example'
const PAGE = 'http://shop.pages.example'
let upstream: Upstream
let gateway: TestGateway
beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    request.resume()
    response.setHeader('vary', 'Accept')
    response.setHeader('access-control-allow-origin', '*')
    response.end('{}')
  })
  gateway = await startGateway({
    services: upstream.url,
    env: { CORS_ADDITIONAL_ALLOWED_ORIGINS: `${EXTRA},null`, PAGES_HOST: '.pages.example' },
  })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const call = (path: string, origin: string, init: RequestInit = {}) =>
  fetch(gateway.url + path, { ...init, headers: { ...(init.headers as object), origin } })
const preflight = (path: string, origin: string, more: Record<string, string> = {}) =>
  call(path, origin, {
    method: 'OPTIONS',
    headers: {
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization',
      ...more,
    },
  })
const corsOf = ({ headers }: Response) =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'))
const strangers = [
  'null',
  'https://evil.example',
  'http://localhost:3000.evil.example',
  'http://localhost:30000',
  'https://localhost:3000',
  'http://pages.example',
  'https://shop.pages.example',
  'http://shop.pages.example.evil.example',
  'http://evilpages.example',
  'http://a_b.pages.example',
  'http://.pages.example',
  'http://user@shop.pages.example',
  'http://shop.pages.example:8080',
  '*',
  '',
  'file://',
]

describe('a preflight', () => {
  test.each([CONSOLE, EXTRA, 'http://localhost:3001'])(
    'of %s is answered without a credential',
    async (origin) => {
      const before = upstream.seen.length
      const answer = await preflight('/v2/workspaces/w1', origin)
      expect(answer.status).toBe(204)
      expect(await answer.text()).toBe('')
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': expect.stringMatching(
          /authorization.*idempotency-key.*x-platform-csrf-token/,
        ),
        'access-control-max-age': '600',
        vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
        'x-correlation-id': expect.any(String),
        'x-content-type-options': 'nosniff',
      })
      expect(upstream.seen.length).toBe(before)
    },
  )

  test('of a page says nothing about cookies', async () => {
    const { headers } = await preflight('/v2/workspaces', PAGE)
    expect(headers.get('access-control-allow-origin')).toBe(PAGE)
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })

  test.each(strangers)('of "%s" allows nothing', async (origin) => {
    const answer = await preflight('/v2/workspaces', origin)
    expect(answer.status).toBe(204)
    expect(corsOf(answer)).toEqual([])
    expect(answer.headers.get('vary')).toContain('Origin')
  })

  test('is refused when it is no honest request', async () => {
    expect(
      (await preflight('/v2/workspaces', CONSOLE, { 'transfer-encoding': 'x' }).catch(() => undefined))
        ?.status ?? 400,
    ).toBe(400)
    expect((await preflight('/v2/%zz', CONSOLE)).status).toBe(400)
  })

  test('needs the header of one: OPTIONS alone is a method like others', async () => {
    expect((await call('/v2/me', CONSOLE, { method: 'OPTIONS' })).status).toBe(405)
  })
})

describe('an answer', () => {
  const answers: [name: string, path: string, status: number][] = [
    ['of a service', '/v2/pages/x', 200],
    ['of the gateway', '/', 200],
    ['that is an error', '/v2/me', 401],
    ['about a path nobody knows', '/v2/nowhere', 404],
    ['about a version that is over', '/v1/me', 410],
    ['about an ambiguous path', '/v2//me', 400],
  ]

  test.each(answers)('%s may be read by the console', async (_, path, status) => {
    const answer = await call(path, CONSOLE)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('access-control-allow-origin')).toBe(CONSOLE)
    expect(answer.headers.get('access-control-allow-credentials')).toBe('true')
    expect(answer.headers.get('vary')).toMatch(/\bOrigin\b/)
    for (const name of [
      'x-correlation-id',
      'etag',
      'retry-after',
      'ratelimit',
      'x-platform-csrf-token',
      'link',
    ])
      expect(answer.headers.get('access-control-expose-headers')?.split(', ')).toContain(name)
  })

  test('keeps what else it varies by, and names one origin only', async () => {
    const { headers } = await call('/v2/pages/x', CONSOLE)
    expect(headers.get('vary')?.split(', ')).toEqual(expect.arrayContaining(['Accept', 'Origin']))
    expect(headers.get('access-control-allow-origin')).toBe(CONSOLE)
  })

  test('may be read by a page, without cookies', async () => {
    const { headers } = await call('/v2/me', PAGE)
    expect(headers.get('access-control-allow-origin')).toBe(PAGE)
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  })

  test.each(strangers)('says nothing to "%s"', async (origin) => {
    const answer = await call('/v2/me', origin)
    expect(answer.status).toBe(401)
    expect(corsOf(answer)).toEqual([])
  })

  test('without an Origin has no word about origins', async () => {
    const answer = await fetch(`${gateway.url}/v2/me`)
    expect(corsOf(answer)).toEqual([])
  })

  test.each(['/v2/versions', '/v2/openapi.json'])(
    'that caches may keep tells them that pages get another one: %s',
    async (path) => {
      const answer = await fetch(gateway.url + path)
      expect(answer.headers.get('cache-control')).toContain('public')
      expect(answer.headers.get('vary')?.split(', ')).toContain('origin')
    },
  )
})

describe('the OIDC server', () => {
  test.each(['/oidc/jwks', '/oidc/.well-known/openid-configuration', '/.well-known/openid-configuration'])(
    'lets every page read %s, without cookies',
    async (path) => {
      for (const origin of ['https://evil.example', CONSOLE]) {
        const { status, headers } = await call(path, origin)
        expect(status).toBe(200)
        expect(['*', origin]).toContain(headers.get('access-control-allow-origin'))
        if (origin !== CONSOLE) expect(headers.get('access-control-allow-credentials')).toBeNull()
      }
    },
  )

  test.each(['/oidc/token', '/oidc/me'])('answers the preflight of %s', async (path) => {
    const { status, headers } = await preflight(path, CONSOLE, { 'access-control-request-method': 'POST' })
    expect(status).toBe(204)
    expect(headers.get('access-control-allow-origin')).toBe(CONSOLE)
  })

  test('keeps an answer about a token from strangers', async () => {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'local-client-id',
      code: 'x',
    })
    expect(corsOf(await call('/oidc/token', 'https://evil.example', { method: 'POST', body }))).not.toContain(
      'access-control-allow-origin',
    )
    const own = await call('/oidc/token', CONSOLE, { method: 'POST', body })
    expect(own.headers.get('access-control-allow-origin')).toBe(CONSOLE)
  })
})
