import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leaveFor, startWorld, travel, type World } from '../../../test/external-providers.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const post = (body: string, contentType = 'application/x-www-form-urlencoded') =>
  fetch(`${world.origin}/v2/login/callback`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': contentType, origin: world.crooked.url },
    body,
  })

describe('a provider that answers with a form', () => {
  it('comes from another site, without cookies, and is continued by a visit that has them', async () => {
    const { browser, state, nonce } = await leaveFor(world, 'crooked')
    world.crooked.idToken = () => world.crooked.sign({ nonce })
    const posted = await post(new URLSearchParams({ state, code: 'code', user: '{"name":"x"}' }).toString())
    expect(posted.status).toBe(303)
    const location = posted.headers.get('location') ?? ''
    expect(location).toBe(`${world.origin}/v2/login/callback?state=${state}&code=code`)
    expect((await travel(browser, location)).url).toBe(`${world.origin}/signin/callback`)
  })

  it('leads to the callback only, whatever it sends', async () => {
    const posted = await post('state=x&redirect_uri=https://evil.example&code=%0d%0aset-cookie:a=b')
    const location = new URL(posted.headers.get('location') ?? '')
    expect(location.href.split('?')[0]).toBe(`${world.origin}/v2/login/callback`)
    expect([...location.searchParams.keys()]).toEqual(['state', 'code'])
    expect(posted.headers.get('set-cookie')).toBeNull()
    expect((await fetch(location)).status).toBe(400)
  })

  it('must be a form', async () => {
    expect((await post('{"state":"x"}', 'application/json')).status).toBe(415)
  })

  it('is refused when it is too large', async () => {
    expect((await post(`state=${'x'.repeat(70_000)}`)).status).toBe(413)
  })
})
