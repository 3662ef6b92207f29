import { createAccessToken, createAnonymousSession, getMe, setMfa, submitMfaCode } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWithMail } from '../../../test/accounts.ts'
import { codeOf, PASSWORD, withAuthenticator, withPassword } from '../../../test/second-factors.ts'
import { startIdentity, type TestIdentity } from '../../../test/start-identity.ts'

let gateway: TestIdentity
beforeAll(async () => {
  gateway = await startIdentity()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const body = { method: 'totp', currentPassword: PASSWORD } as const

describe('setting the second factor', () => {
  it('begins with a secret and its picture, which count from the first right code on', async () => {
    const ada = await withPassword(gateway, 'begins')
    const client = gateway.client(ada.headers)
    const begun = await client(setMfa, { body })
    expect(begun).toEqual({
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      qrImage: expect.stringMatching(/^data:image\/png;base64,/),
    })
    expect((await client(getMe)).mfa).toBe('none')
    const secret = 'secret' in begun ? begun.secret : ''
    await client(submitMfaCode, { body: { totp: codeOf(secret) } })
    expect((await client(getMe)).mfa).toBe('totp')
  })

  it('keeps no secret that a reader of the database could use', async () => {
    const { secret, recoveryCodes } = await withAuthenticator(gateway, 'sealed')
    const rows = await gateway.database.many(sql`
      select t::text as row from gateway.totp t union all select c::text from gateway.recovery_codes c
      union all select a::text from audit.entries a`)
    const dump = JSON.stringify(rows)
    expect(dump).not.toContain(secret)
    for (const code of recoveryCodes) expect(dump).not.toContain(code.replaceAll('-', ''))
    for (const code of recoveryCodes) expect(dump).not.toContain(code)
  })

  it('keeps the old authenticator until the new one has shown a right code', async () => {
    const { client, secret } = await withAuthenticator(gateway, 'moves')
    const begun = await client(setMfa, { body })
    expect((await client(getMe)).mfa).toBe('totp')
    await expect(client(submitMfaCode, { body: { totp: codeOf(secret, 1) } })).rejects.toMatchObject({
      status: 401,
    })
    const next = 'secret' in begun ? begun.secret : ''
    const { recoveryCodes } = await client(submitMfaCode, { body: { totp: codeOf(next) } })
    expect(recoveryCodes).toHaveLength(10)
  })

  it('takes it away, and writes both into the audit trail', async () => {
    const { client, person } = await withAuthenticator(gateway, 'removes')
    expect(await client(setMfa, { body: { ...body, method: 'none' } })).toEqual({ method: 'none' })
    expect((await client(getMe)).mfa).toBe('none')
    const rows = await gateway.database.many<{ action: string; actor: string }>(sql`
      select action, actor from audit.entries where subject = ${`user:${person.userId}`} order by sequence`)
    expect(rows).toEqual([
      { action: 'mfa.enabled', actor: 'user:removes' },
      { action: 'mfa.disabled', actor: 'user:removes' },
    ])
  })

  it('writes to the owner each time, with the change', async () => {
    await using world = await startWithMail()
    const { client, person } = await withAuthenticator(world.gateway, 'told')
    const address = `${person.userId}@example.com`
    expect((await world.mailTo(address)).text).toContain('now takes a code')
    await client(setMfa, { body: { ...body, method: 'none' } })
    expect((await world.mailTo(address, 2)).text).toContain('no longer takes a code')
    await client(setMfa, { body: { ...body, method: 'none' } })
    expect(await world.mails()).toHaveLength(2)
  })

  it('refuses a wrong current password, and an account without one', async () => {
    const ada = await withPassword(gateway, 'guesses')
    const wrong = gateway.client(ada.headers)(setMfa, { body: { ...body, currentPassword: 'not mine' } })
    await expect(wrong).rejects.toMatchObject({ name: 'InvalidPassword', status: 400 })
    const elsewhere = await gateway.signIn({ userId: 'has no password' })
    const attempt = gateway.client(elsewhere.headers)(setMfa, { body })
    await expect(attempt).rejects.toMatchObject({ name: 'InvalidPassword', status: 400 })
  })

  it.each([
    {},
    { method: 'totp' },
    { method: 'sms', currentPassword: PASSWORD },
    { method: 'totp', currentPassword: '' },
    { method: 'totp', currentPassword: PASSWORD, userId: 'root' },
  ])('refuses %j', async (invalid) => {
    const ada = await gateway.signIn({ userId: 'invalid' })
    const response = await fetch(`${gateway.url}/v2/user/mfa`, {
      method: 'POST',
      headers: { ...ada.headers, 'content-type': 'application/json' },
      body: JSON.stringify(invalid),
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: 'RequestValidationError' })
  })

  it('needs an account: nobody, a visitor, an access token and a deleted account may not', async () => {
    const ada = await withPassword(gateway, 'owner')
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const { token } = await gateway.client(ada.headers)(createAccessToken, {
      body: { name: 'ci', expiresAt },
    })
    const visitor = await gateway.client()(createAnonymousSession)
    const attempt = (headers: Record<string, string>) => gateway.client(headers)(setMfa, { body })
    await expect(attempt({})).rejects.toMatchObject({ status: 401 })
    await expect(attempt({ authorization: `Bearer ${visitor.token}` })).rejects.toMatchObject({ status: 403 })
    await expect(attempt({ authorization: `Bearer ${token}` })).rejects.toMatchObject({ status: 403 })
    await gateway.database.many(sql`delete from gateway.users where id = 'owner'`)
    await expect(attempt(ada.headers)).rejects.toMatchObject({ status: 401 })
  })

  it('shares its limit with all that ask for the current password: five a minute, then how long to wait', async () => {
    await using limited = await startIdentity({ env: { RATE_LIMIT_DISABLED: 'false' } })
    const ada = await withPassword(limited, 'ada')
    const wrong = { currentPassword: 'not mine' }
    const asked: [string, object][] = [
      ['/v2/user/mfa', { ...body, ...wrong }],
      ['/v2/user/mfa/recoveryCodes', wrong],
      ['/v2/user/password', { ...wrong, password: 'a new one of eight' }],
    ]
    const attempts = Array.from({ length: 6 }, () => asked)
      .flat()
      .map(([path, sent]) =>
        fetch(limited.url + path, {
          method: 'POST',
          headers: { ...ada.headers, 'content-type': 'application/json' },
          body: JSON.stringify(sent),
        }),
      )
    const statuses = (await Promise.all(attempts)).map(({ status, headers }) => ({
      status,
      waits: headers.has('retry-after'),
    }))
    // Ten where the minute ends in between.
    expect(statuses.filter(({ status }) => status === 400).length).toBeLessThanOrEqual(10)
    expect(statuses.filter(({ status, waits }) => status === 429 && waits).length).toBeGreaterThanOrEqual(8)
  })
})
