import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { endCurrentSession } from '@platform/contracts'
import { sql } from '@platform/database'
import { me, refusedWithin } from '@platform/identity/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startWithAda, type WithAda } from '../../test/operations.ts'
import { CONSOLE, type SignedIn, startGateway } from '../../test/start-gateway.ts'

let world: WithAda
let service: WithAda['service']
let gateway: WithAda['gateway']
beforeAll(async () => {
  world = await startWithAda()
  ;({ service, gateway } = world)
})
afterAll(() => world[Symbol.asyncDispose]())

describe('a JWT', () => {
  test('without its session is 401, however good its signature', async () => {
    const eve = await gateway.signIn()
    const expiresAt = new Date(Date.now() + 60_000)
    const owner = { userId: eve.userId, clientId: 'c', scopes: [], expiresAt }
    for (const sessionId of ['never-was', 'at:x', '']) {
      const jwt = gateway.mint({ ...owner, sessionId })
      expect(
        (await fetch(`${gateway.url}/v2/me`, { headers: { authorization: `Bearer ${jwt}` } })).status,
      ).toBe(401)
    }
    const stolen = gateway.mint({ ...owner, userId: 'somebody-else', sessionId: eve.sessionId })
    expect(
      (await fetch(`${gateway.url}/v2/me`, { headers: { authorization: `Bearer ${stolen}` } })).status,
    ).toBe(401)
  })

  test('of a user who is gone or was deactivated is 401', async () => {
    const [gone, off] = [await gateway.signIn(), await gateway.signIn()]
    await gateway.database.many(sql`delete from gateway.users where id = ${gone.userId}`)
    await gateway.database.many(sql`update gateway.users set status = 'deactivated' where id = ${off.userId}`)
    for (const who of [gone, off]) await expect(me(gateway, who)).rejects.toMatchObject({ status: 401 })
  })

  test('is never shown the answer of another, also from memory', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => gateway.signIn()))
    for (let round = 0; round < 10; round += 1) {
      const found = await Promise.all(people.map((who) => me(gateway, who)))
      expect(found.map(({ id, sessionId }) => [id, sessionId])).toEqual(
        people.map(({ userId, sessionId }) => [userId, sessionId]),
      )
    }
  })

  test('ends when it says so', async () => {
    const soon = await gateway.signIn({ expiresInSeconds: 3 })
    expect((await me(gateway, soon)).sessionId).toBe(soon.sessionId)
    await refusedWithin(gateway, soon, 5000)
  })
})

describe('the cookie of a browser', () => {
  const send = (who: SignedIn, method: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/v2/workspaces`, {
      method,
      headers: { cookie: `theme=dark; access-token=${who.jwt}`, ...headers },
      ...(method === 'GET' ? {} : { body: '{}' }),
    })
  const csrfOf = async (who: SignedIn) =>
    (await fetch(`${gateway.url}/v2/me`, { headers: who.headers })).headers.get('x-platform-csrf-token') ?? ''

  test('signs in, and services never see it', async () => {
    const who = await gateway.signIn()
    expect((await send(who, 'GET')).status).toBe(200)
    expect(service.seen.at(-1)?.headers).toMatchObject({ 'x-platform-user-id': who.userId })
    expect(service.seen.at(-1)?.headers).not.toHaveProperty('cookie')
  })

  test('is not read where an Authorization header is present', async () => {
    const [inCookie, inHeader] = [await gateway.signIn(), await gateway.signIn()]
    await send(inCookie, 'GET', inHeader.headers)
    expect(service.seen.at(-1)?.headers['x-platform-user-id']).toBe(inHeader.userId)
    expect((await send(inCookie, 'GET', { authorization: 'Bearer nonsense' })).status).toBe(401)
  })

  test('changes something only with the CSRF token of its session and from a page of ours', async () => {
    const [who, somebody] = [await gateway.signIn(), await gateway.signIn()]
    const [token, foreign] = [await csrfOf(who), await csrfOf(somebody)]
    const origin = CONSOLE
    const before = service.seen.length
    const forged: Record<string, string>[] = [
      {},
      { origin },
      { 'x-platform-csrf-token': token },
      { origin, 'x-platform-csrf-token': foreign },
      { origin, 'x-platform-csrf-token': '' },
      { origin, 'x-platform-csrf-token': `${token}x` },
      { origin: 'https://evil.example', 'x-platform-csrf-token': token },
      { origin: 'null', 'x-platform-csrf-token': token },
      { referer: 'https://evil.example/http://localhost:3000', 'x-platform-csrf-token': token },
      { referer: 'not a url', 'x-platform-csrf-token': token },
    ]
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const headers of forged)
        expect((await send(who, method, headers)).status, JSON.stringify(headers)).toBe(403)
    }
    expect(service.seen.length).toBe(before)
    expect((await send(who, 'POST', { origin, 'x-platform-csrf-token': token })).status).toBe(200)
    expect((await send(who, 'POST', { referer: `${origin}/x`, 'x-platform-csrf-token': token })).status).toBe(
      200,
    )
    expect(service.seen.at(-1)?.headers).not.toHaveProperty('x-platform-csrf-token')
  })

  test('that is no longer good is 401 and forgotten by the browser', async () => {
    const who = await gateway.signIn()
    await gateway.client(who.headers)(endCurrentSession)
    const response = await send(who, 'GET')
    expect(response.status).toBe(401)
    expect(response.headers.get('set-cookie')).toMatch(/^access-token=; Max-Age=0/)
  })

  test('that is there twice is refused', async () => {
    const who = await gateway.signIn()
    const response = await fetch(`${gateway.url}/v2/me`, {
      headers: { cookie: `access-token=${who.jwt}; access-token=x` },
    })
    expect(response.status).toBe(400)
  })
})

/** A way to the database that can be frozen: bytes stop, connections stay. */
async function slowRoad(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const database = { port: Number(target.port), host: target.hostname }
  const sockets = new Set<Socket>()
  let isFrozen = false
  const server = createServer((near) => {
    const far = connect(database)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => to.write(chunk))
      from.on('error', () => undefined)
      from.on('close', () => to.destroy())
    }
    if (isFrozen) for (const socket of [near, far]) socket.pause()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  target.port = String(typeof address === 'object' ? address?.port : 0)
  target.hostname = '127.0.0.1'
  return {
    url: target.href,
    freeze() {
      isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw() {
      isFrozen = false
      for (const socket of sockets) socket.resume()
    },
    close: () => server.close(),
  }
}

describe('a database that does not answer', () => {
  test('makes every credential uncheckable, never bad, within three seconds, and all is well when it comes back', {
    timeout: 60_000,
  }, async () => {
    const road = await slowRoad(gateway.databaseUrl)
    const fragile = await startGateway({
      databaseUrl: road.url,
      services: service.url,
      tuning: { unknownAfterMs: 1000 },
      everyMs: { 'poll-revocations': 300 },
    })
    const [seen, unseen] = [await gateway.signIn({ superAdmin: true }), await gateway.signIn()]
    await me(fragile, seen)
    road.freeze()
    const answers: [number, number][] = []
    const ask = async (who: SignedIn, path = '/v2/workspaces') => {
      const startedAt = performance.now()
      const response = await fetch(fragile.url + path, { headers: who.headers })
      await response.arrayBuffer()
      answers.push([response.status, performance.now() - startedAt])
      return response.status
    }
    const whileKnown = async () => {
      while ((await ask(seen)) === 200) await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const [unknown] = await Promise.all([ask(unseen), whileKnown()])
    expect(unknown).toBe(503)
    expect([await ask(seen), await ask(unseen)]).toEqual([503, 503])
    expect(answers.map(([status]) => status).filter((status) => status !== 200 && status !== 503)).toEqual([])
    expect(Math.max(...answers.map(([, ms]) => ms))).toBePrompt(3000)

    const [status, jwks] = await Promise.all([fetch(`${fragile.url}/`), fetch(`${fragile.url}/oidc/jwks`)])
    expect([status.status, jwks.status]).toEqual([200, 200])
    expect((await fetch(`${fragile.url}/v2/workspaces/w/webhooks/x`)).status).toBe(200)
    // A super administrator who was seen valid a moment ago may look at what is wrong.
    expect(await ask(seen, '/v2/readiness?services=api-gateway')).toBe(400)
    expect(await ask(unseen, '/v2/readiness')).toBe(503)

    road.thaw()
    await vi.waitFor(async () => expect([await ask(seen), await ask(unseen)]).toEqual([200, 200]), {
      timeout: 5000,
    })
    await fragile[Symbol.asyncDispose]()
    road.close()
  })
})
