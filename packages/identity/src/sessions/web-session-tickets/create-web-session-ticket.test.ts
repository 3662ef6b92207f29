import { createAccessToken } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askForTicket, startWithPerson } from '../../../test/web-session-tickets.ts'

let world: Awaited<ReturnType<typeof startWithPerson>>
beforeAll(async () => {
  world = await startWithPerson({ CORS_ADDITIONAL_ALLOWED_ORIGINS: 'https://pages.example' })
})
afterAll(() => world[Symbol.asyncDispose]())

const ask = (headers: Record<string, string>, body?: unknown) => askForTicket(world.gateway, headers, body)

describe('asking for a web session ticket', () => {
  test.each([
    'http://localhost:3000',
    'http://localhost:3000/a?b=c#d',
    'https://pages.example/x',
    'http://localhost:3001/v2',
  ])('answers an address that may lead to %s, and keeps only its hash', async (redirect) => {
    const { response, answer, path } = await ask(world.ada.headers, { redirect })
    expect(response.status).toBe(200)
    expect(answer).toEqual({
      url: expect.stringMatching(/^http:\/\/localhost:3001\/signin\/tickets\/[\w-]{43}$/),
    })
    const rows = await world.gateway.database.many(sql`select * from gateway.web_session_tickets`)
    expect(JSON.stringify(rows)).not.toContain(path.split('/').at(-1))
  })

  test.each([
    'https://evil.example',
    'http://localhost:3000.evil.example/',
    'http://localhost:3000@evil.example/',
    'http://ada:pw@localhost:3000/',
    'https://localhost:3000/',
    'http://localhost:30000/',
    'http://localhost/',
    'http://127.0.0.1:3000/',
    '//evil.example',
    '/relative',
    '\\\\evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:http://localhost:3000/x',
    '',
    `http://localhost:3000/${'a'.repeat(2000)}`,
  ])('refuses to lead to %.40s', async (redirect) => {
    const { response, answer } = await ask(world.ada.headers, { redirect })
    expect([response.status, answer.error]).toEqual([400, 'RequestValidationError'])
  })

  test.each([{}, { redirect: 1 }, { redirect: 'http://localhost:3000', userId: 'root' }])(
    'refuses the body %j',
    async (body) => expect((await ask(world.ada.headers, body)).response.status).toBe(400),
  )

  test('keeps where a redirect leads as browsers understand it', async () => {
    const { response } = await ask(world.ada.headers, {
      redirect: 'http://localhost:3000\\@evil.example:80@x',
    })
    expect(response.status).toBe(200)
    const rows = await world.gateway.database.many(sql`
      select redirect from gateway.web_session_tickets order by created_at desc limit 1`)
    expect(rows).toEqual([{ redirect: 'http://localhost:3000/@evil.example:80@x' }])
  })

  test('needs the JWT of a person: nobody, an access token and a program may not', async () => {
    const { gateway, ada } = world
    expect((await ask({})).response.status).toBe(401)
    const body = { name: 'ci', expiresAt: new Date(Date.now() + 60_000).toISOString() }
    const { token } = await gateway.client(ada.headers)(createAccessToken, { body })
    expect((await ask({ authorization: `Bearer ${token}` })).response.status).toBe(403)
    const expiresAt = new Date(Date.now() + 60_000)
    const program = { userId: 'robot', clientId: 'robot', expiresAt, scopes: [] }
    await gateway.database.many(sql`
      insert into gateway.sessions (id, user_id, client_id, anonymous, expires_at)
      values ('session-of-robot', 'robot', 'robot', false, ${expiresAt})`)
    const jwt = gateway.mint({ ...program, sessionId: 'session-of-robot' })
    expect((await ask({ authorization: `Bearer ${jwt}` })).response.status).toBe(403)
  })

  test('by cookie needs the CSRF token, as every change', async () => {
    const cookie = `access-token=${world.ada.jwt}`
    expect((await ask({ cookie, origin: 'http://localhost:3000' })).response.status).toBe(403)
  })

  test('is limited to ten a minute for one person, not for the next', async () => {
    await using limited = await startWithPerson({ RATE_LIMIT_DISABLED: 'false' })
    const statuses: number[] = []
    let last: Response | undefined
    // Two windows at most: the minute may change meanwhile.
    for (let count = 0; count < 21; count += 1) {
      last = (await askForTicket(limited.gateway, limited.ada.headers)).response
      statuses.push(last.status)
    }
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(200))
    expect(statuses).toContain(429)
    expect(last?.headers.get('ratelimit-policy')).toBe('"web-session-ticket";q=10;w=60')
    const bob = await limited.gateway.signIn()
    expect((await askForTicket(limited.gateway, bob.headers)).response.status).toBe(200)
  })
})
