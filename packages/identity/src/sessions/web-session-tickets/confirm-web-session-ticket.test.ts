import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  askForTicket,
  cookieClaims,
  expectErrorPage,
  openTicket,
  startWithPerson,
} from '../../../test/web-session-tickets.ts'

let world: Awaited<ReturnType<typeof startWithPerson>>
beforeAll(async () => {
  world = await startWithPerson()
})
afterAll(() => world[Symbol.asyncDispose]())

const answerOf = (path: string, headers: Record<string, string>) =>
  openTicket(world.gateway, path, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: '',
  })

describe('answering that another account may be signed in', () => {
  test('takes no answer of another site, and leaves the account and the ticket as they are', async () => {
    const { gateway, ada } = world
    const bob = await gateway.signIn()
    const { path } = await askForTicket(gateway, ada.headers)
    const cookie = `access-token=${bob.jwt}`
    for (const origin of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      await expectErrorPage(await answerOf(path, { cookie, ...origin }))
    expect((await fetch(`${gateway.url}/v2/me`, { headers: { cookie } })).status).toBe(200)
    const answered = await answerOf(path, { cookie, origin: 'http://localhost:3001' })
    expect(answered.status).toBe(303)
  })

  test('burns the ticket, signs the browser in and leads on', async () => {
    const { gateway, ada } = world
    const bob = await gateway.signIn()
    const { path } = await askForTicket(gateway, ada.headers)
    const headers = { cookie: `access-token=${bob.jwt}`, origin: 'http://localhost:3001' }
    const answered = await answerOf(path, headers)
    expect(answered.status).toBe(303)
    expect(answered.headers.get('location')).toBe('http://localhost:3000/welcome?x=1')
    expect(cookieClaims(answered)).toMatchObject({ sub: ada.userId })
    await expectErrorPage(await openTicket(gateway, path))
    await expectErrorPage(await answerOf(path, headers))
  })
})
