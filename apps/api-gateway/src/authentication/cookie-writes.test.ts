import * as contracts from '@platform/contracts'
import { sql } from '@platform/database'
import { accessTokenCookie } from '@platform/identity/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressOf, endpointsOf, methodsOf } from '../../test/operations.ts'
import {
  CONSOLE,
  type SignedIn,
  startGateway,
  startUpstream,
  type TestGateway,
  type Upstream,
} from '../../test/start-gateway.ts'

let service: Upstream
let gateway: TestGateway
let ada: SignedIn
let csrf: string
beforeAll(async () => {
  service = await startUpstream()
  gateway = await startGateway({ services: service.url })
  ada = await gateway.signIn({ superAdmin: true })
  const me = await fetch(`${gateway.url}/v2/me`, { headers: ada.headers })
  csrf = me.headers.get('x-platform-csrf-token') ?? ''
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const writes = endpointsOf(contracts)
  // Receivers take calls from everywhere: there a cookie alone signs nobody in.
  .filter(({ path, id }) => path.startsWith('/v2') && id !== 'callWebhook')
  .flatMap((endpoint) =>
    methodsOf(endpoint)
      .filter((method) => method !== 'get')
      .map((method) => ({ method, path: endpoint.path })),
  )

/** What another site can make a browser send: forms, and scripts without a preflight. */
const bodies: [type: string, body: string][] = [
  ['text/plain', '{"name":"x"}'],
  ['application/x-www-form-urlencoded', 'name=x'],
  [
    'multipart/form-data; boundary=b',
    '--b\r\ncontent-disposition: form-data; name="name"\r\n\r\nx\r\n--b--\r\n',
  ],
  ['application/json', '{"name":"x"}'],
]

/** Where such a request comes from, and what it can know. */
const forged = (): Record<string, string>[] => [
  {},
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: CONSOLE },
  { referer: `${CONSOLE}/page` },
  { 'x-platform-csrf-token': csrf },
  { origin: 'https://evil.example', 'x-platform-csrf-token': csrf },
  { origin: `${CONSOLE}.evil.example`, 'x-platform-csrf-token': csrf },
  { origin: CONSOLE, 'x-platform-csrf-token': 'guessed' },
  { 'x-platform-csrf-token': csrf, 'x-platform-workspace-id': 'w1' },
]

async function state() {
  const rows = await gateway.database.many<{ rows: string }>(sql`
    select concat_ws(',', (select count(*) from gateway.sessions), (select count(*) from gateway.access_tokens),
      (select count(*) from gateway.users), (select count(*) from gateway.web_session_tickets),
      (select count(*) from gateway.revocations)) as rows`)
  return { rows: rows[0]?.rows, forwarded: service.seen.length }
}

describe('a change authenticated by cookie', () => {
  test('there are many such routes', () => expect(writes.length).toBeGreaterThan(35))

  test.each(writes)(
    '$method $path is 403 without the CSRF token and an origin of ours',
    async ({ method, path }) => {
      const before = await state()
      for (const [index, headers] of forged().entries()) {
        const [type = '', body = ''] = bodies[index % bodies.length] ?? []
        const response = await fetch(gateway.url + addressOf(path), {
          method: method.toUpperCase(),
          headers: { cookie: `access-token=${ada.jwt}`, 'content-type': type, ...headers },
          body,
        })
        expect(response.status, JSON.stringify(headers)).toBe(403)
      }
      expect(await state()).toEqual(before)
    },
  )

  test('passes with both, and a bearer needs neither', async () => {
    const send = async (headers: Record<string, string>) =>
      (await fetch(`${gateway.url}/v2/workspaces`, { method: 'POST', body: '{}', headers })).status
    const cookie = `access-token=${ada.jwt}`
    expect(await send({ cookie, origin: CONSOLE, 'x-platform-csrf-token': csrf })).toBe(200)
    expect(await send(ada.headers)).toBe(200)
    expect(await send({ ...ada.headers, cookie, origin: 'https://evil.example' })).toBe(200)
  })

  test('the cookie is for this host, for HTTP alone, and not sent with what other sites make', () => {
    const policy = { maxAgeSeconds: 60, secure: true }
    expect(accessTokenCookie('jwt', policy)).toBe(
      'access-token=jwt; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure',
    )
    expect(accessTokenCookie('jwt', { ...policy, secure: false })).not.toContain('Secure')
  })
})
