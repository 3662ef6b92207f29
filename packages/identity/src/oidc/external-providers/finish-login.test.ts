import { getMe } from '@platform/contracts'
import { sql } from '@platform/database'
import { createClient } from '@platform/service-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leaveFor, startWorld, travel, type World } from '../../../test/external-providers.ts'
import { Browser } from '../../../test/sign-in.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const me = (browser: Browser) =>
  createClient(world.origin, { cookie: `access-token=${browser.cookies.get('access-token')?.value}` })(getMe)

const signInAt = (slug: string, browser = new Browser()) =>
  travel(browser, `${world.origin}/v2/login?provider=${slug}`).then((page) => ({ page, browser }))

const addUser = (id: string, email: string, validated: boolean, status = 'validated') =>
  world.gateway.database.many(sql`
    insert into gateway.users (id, email, status, email_validated_at)
    values (${id}, ${email}, ${status}, ${validated ? new Date() : null})`)

const usersOf = (email: string) =>
  world.gateway.database.many<{ id: string }>(sql`select id from gateway.users where email = ${email}`)

describe('signing in at another provider', () => {
  it('makes an account at first, and finds it again', async () => {
    world.idp.person = {
      sub: 'grace',
      email: 'Grace@Example.com',
      email_verified: true,
      given_name: 'Grace',
      family_name: 'Hopper',
      locale: 'fr',
    }
    const first = await signInAt('acme')
    expect([first.page.status, first.page.url]).toEqual([200, `${world.origin}/signin/callback`])
    const user = await me(first.browser)
    expect(user).toMatchObject({
      email: 'grace@example.com',
      firstName: 'Grace',
      lastName: 'Hopper',
      language: 'fr',
      status: 'validated',
      authData: { acme: { id: 'grace', issuer: world.idp.url, email: 'Grace@Example.com' } },
    })

    world.idp.person = { ...world.idp.person, family_name: 'Brewster' }
    const again = await me((await signInAt('acme')).browser)
    expect(again).toMatchObject({ id: user.id, lastName: 'Brewster' })
    expect(again.sessionId).not.toBe(user.sessionId)
  })

  it('tells the event feed and the audit trail which provider it was', async () => {
    world.idp.person = { sub: 'logged' }
    const user = await me((await signInAt('acme')).browser)
    const rows = await world.gateway.database.many<{ action: string; details: string }>(
      sql`select action, details from audit.entries where actor = ${`user:${user.id}`} order by sequence`,
    )
    expect(rows.map(({ action, details }) => [action, JSON.parse(details).provider])).toEqual([
      ['account.created', 'acme'],
      ['session.started', 'acme'],
    ])
  })

  it('begins on the sign-in page, which names the providers', async () => {
    world.idp.person = { sub: 'button' }
    const browser = new Browser()
    const page = await browser.visit(`${world.origin}/signin`)
    expect(page.text).toContain('Acme &amp; Co')
    expect(page.text).not.toContain('provider=closed')
    const [, link = ''] = /href="([^"]*provider=acme[^"]*)"/.exec(page.text) ?? []
    const done = await travel(browser, link.replaceAll('&amp;', '&'))
    expect(done.url).toBe(`${world.origin}/signin/callback`)
    expect((await me(browser)).authData).toHaveProperty('acme.id', 'button')
  })

  it('links an account whose address both sides have proven', async () => {
    await addUser('ada', 'ada@example.com', true)
    world.idp.person = { sub: 'ada-there', email: 'ADA@example.com', email_verified: true }
    expect((await me((await signInAt('acme')).browser)).id).toBe('ada')
    world.idp.person = { sub: 'ada-there' }
    expect((await me((await signInAt('acme')).browser)).id).toBe('ada')
  })

  it('takes no account over by an address the provider does not vouch for', async () => {
    await addUser('vic', 'vic@example.com', true)
    world.idp.person = { sub: 'mallory', email: 'vic@example.com', email_verified: false }
    const user = await me((await signInAt('acme')).browser)
    expect(user.id).not.toBe('vic')
    expect(user.email).toBeUndefined()
  })

  it('takes no account over whose address nobody has confirmed here, not even for its owner', async () => {
    await addUser('squatted', 'owner@example.com', false)
    world.idp.person = { sub: 'owner', email: 'owner@example.com', email_verified: true }
    const { page, browser } = await signInAt('acme')
    expect(page.status).toBe(409)
    expect(page.text).toContain('already has an account')
    expect(browser.cookies.has('access-token')).toBe(false)
    expect(await usersOf('owner@example.com')).toEqual([{ id: 'squatted' }])
  })

  it('never makes a super administrator of somebody by mail alone', async () => {
    world.idp.person = { sub: 'root-there', email: 'root@example.com', email_verified: true }
    expect((await signInAt('acme')).page.status).toBe(409)
  })

  it('refuses deactivated people', async () => {
    await addUser('gone', 'gone@example.com', true, 'deactivated')
    world.idp.person = { sub: 'gone-there', email: 'gone@example.com', email_verified: true }
    const { page, browser } = await signInAt('acme')
    expect(page.status).toBe(403)
    expect(page.text).toContain('deactivated')
    expect(browser.cookies.has('access-token')).toBe(false)
  })

  it('makes one account of two first sign-ins at once', async () => {
    for (const known of [{}, { email: 'twice@example.com', email_verified: true }]) {
      world.idp.person = { sub: `twice-${Object.keys(known).length}`, ...known }
      const { sub } = world.idp.person
      const people = await Promise.all([1, 2, 3].map(async () => me((await signInAt('acme')).browser)))
      expect(new Set(people.map(({ id }) => id)).size).toBe(1)
      const rows = await world.gateway.database.many(
        sql`select 1 from gateway.users where auth_data -> 'acme' ->> 'id' = ${sub}`,
      )
      expect(rows).toHaveLength(1)
    }
  })

  it('keeps neither state, nonce, verifier nor the secret of the client in clear', async () => {
    const { state, nonce } = await leaveFor(world, 'crooked')
    const rows = await world.gateway.database.many(sql`select * from gateway.external_logins`)
    const kept = JSON.stringify(rows)
    expect(rows.length).toBeGreaterThan(0)
    for (const secret of [state, nonce, world.crooked.url]) expect(kept).not.toContain(secret)
  })
})
