import { createAccessToken, getMe, setPassword } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  eventsOf,
  PASSWORD,
  passwordOutcome,
  startWithMail,
  type WithMail,
  withAccount,
} from '../../test/accounts.ts'
import { refusedWithin } from '../../test/sessions.ts'
import { startIdentity, type TestIdentity } from '../../test/start-identity.ts'

let world: WithMail
let gateway: TestIdentity
let other: TestIdentity
beforeAll(async () => {
  world = await startWithMail()
  gateway = world.gateway
  other = await startIdentity({ databaseUrl: gateway.databaseUrl })
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const NEW = 'another horse battery'
const forgot = (email: string) => gateway.client()(setPassword, { body: { email } })
const reset = (token: string, password = NEW) => gateway.client()(setPassword, { body: { token, password } })
const change = (who: { headers: Record<string, string> }, currentPassword: string, password = NEW) =>
  gateway.client(who.headers)(setPassword, { body: { currentPassword, password } })

describe('a forgotten password', () => {
  test('is replaced by the mailed link: all sessions end everywhere, the owner is told', async () => {
    const ada = await withAccount(world)
    const elsewhere = await gateway.signIn({ userId: ada.userId })
    for (const who of [ada, elsewhere]) await other.client(who.headers)(getMe)
    expect(await forgot(ada.email.toUpperCase())).toEqual({ success: true })
    const mail = await world.mailTo(ada.email, 2)
    expect(mail.url).toContain('/account/password?token=')

    expect(await reset(mail.token)).toEqual({ success: true })

    await Promise.all([ada, elsewhere].map((who) => refusedWithin(other, who, 1000)))
    expect(await passwordOutcome(gateway, ada.email, PASSWORD)).toBe('wrong')
    expect(await passwordOutcome(gateway, ada.email, NEW)).toBe('matches')
    expect((await world.mailTo(ada.email, 3)).subject).toContain('was changed')
    for (const type of ['gateway.passwordReset.requested', 'gateway.passwordReset.succeeded'])
      expect(await eventsOf(gateway, type, ada.email)).toHaveLength(1)
    const trail = await gateway.database.many<{ action: string }>(sql`
      select action from audit.entries where actor = ${`user:${ada.userId}`} order by sequence`)
    expect(trail.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['password.changed', 'session.ended']),
    )
  })

  test('a link works once, and ends every other link', async () => {
    const ada = await withAccount(world)
    await forgot(ada.email)
    const first = await world.mailTo(ada.email, 2)
    await forgot(ada.email)
    const second = await world.mailTo(ada.email, 3)
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => reset(second.token)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const token of [first.token, second.token])
      await expect(reset(token)).rejects.toMatchObject({ name: 'InvalidOrExpiredToken' })
  })

  test('an hour later, or for another purpose, a link is refused', async () => {
    const ada = await withAccount(world)
    await forgot(ada.email)
    const { token } = await world.mailTo(ada.email, 2)
    await gateway.database.many(
      sql`update gateway.mailed_tokens set expires_at = now() - interval '1 second' where user_id = ${ada.userId}`,
    )
    await expect(reset(token)).rejects.toMatchObject({ name: 'InvalidOrExpiredToken' })
    await gateway.database.many(
      sql`update gateway.mailed_tokens set expires_at = now() + interval '1 hour', purpose = 'delete'
        where user_id = ${ada.userId}`,
    )
    await expect(reset(token)).rejects.toMatchObject({ name: 'InvalidOrExpiredToken' })
  })

  test('is silent about unknown, deactivated and passwordless addresses', async () => {
    const [gone, external] = [await withAccount(world), await gateway.signIn()]
    await gateway.database.many(
      sql`update gateway.users set status = 'deactivated' where id = ${gone.userId}`,
    )
    const before = (await world.mails()).length
    for (const email of [gone.email, `${external.userId}@example.com`, 'nobody@example.com'])
      expect(await forgot(email)).toEqual({ success: true })
    const waiting = await gateway.database.many(sql`select 1 from gateway.mails`)
    expect([waiting.length, (await world.mails()).length]).toEqual([0, before])
  })

  test('one address may ask once a minute', async () => {
    await using limited = await startIdentity({ env: { RATE_LIMIT_DISABLED: 'false' } })
    const ask = () => limited.client()(setPassword, { body: { email: 'a@example.com' } })
    await ask()
    await expect(ask()).rejects.toMatchObject({ name: 'TooManyRequests', status: 429 })
  })
})

describe('a password that is easy to guess', () => {
  test('is refused by a mailed link, which works on, and when it is changed', async () => {
    const ada = await withAccount(world)
    await forgot(ada.email)
    const { token } = await world.mailTo(ada.email, 2)
    for (const [password, sentence] of [
      ['Password123', 'tried first'],
      ['lovelace1815', 'your name or address'],
      [ada.email, 'your name or address'],
    ] as const) {
      const refusal = {
        name: 'RequestValidationError',
        message: expect.stringContaining(sentence),
        details: [{ path: 'body.password' }],
      }
      await expect(reset(token, password)).rejects.toMatchObject(refusal)
      await expect(change(ada, PASSWORD, password)).rejects.toMatchObject(refusal)
    }
    expect(await reset(token)).toEqual({ success: true })
  })
})

describe('changing the password', () => {
  test('ends all other sessions, not this one', async () => {
    const ada = await withAccount(world)
    const elsewhere = await gateway.signIn({ userId: ada.userId })
    expect(await change(ada, PASSWORD)).toEqual({ success: true })
    await refusedWithin(other, elsewhere, 1000)
    expect((await gateway.client(ada.headers)(getMe)).id).toBe(ada.userId)
    expect(await passwordOutcome(gateway, ada.email, NEW)).toBe('matches')
    expect((await world.mailTo(ada.email, 2)).subject).toContain('was changed')
  })

  test('needs the current one, and a session', async () => {
    const ada = await withAccount(world)
    await expect(change(ada, 'a wrong password')).rejects.toMatchObject({
      name: 'InvalidPassword',
      status: 400,
    })
    await expect(change({ headers: {} }, PASSWORD)).rejects.toMatchObject({ status: 401 })
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const { token } = await gateway.client(ada.headers)(createAccessToken, {
      body: { name: 'ci', expiresAt },
    })
    const asToken = { headers: { authorization: `Bearer ${token}` } }
    await expect(change(asToken, PASSWORD)).rejects.toMatchObject({ status: 403 })
    expect(await passwordOutcome(gateway, ada.email, PASSWORD)).toBe('matches')
  })

  test('a stolen session can’t try passwords', async () => {
    await using limited = await startIdentity({
      databaseUrl: gateway.databaseUrl,
      env: { RATE_LIMIT_DISABLED: 'false' },
    })
    const ada = await withAccount(world)
    const attempt = () =>
      limited.client(ada.headers)(setPassword, { body: { currentPassword: 'guess', password: NEW } })
    for (let tries = 0; tries < 5; tries += 1)
      await expect(attempt()).rejects.toMatchObject({ name: 'InvalidPassword' })
    await expect(attempt()).rejects.toMatchObject({ name: 'TooManyRequests' })
  })

  test.each([
    { password: NEW },
    { token: 'x'.repeat(43), password: 'short' },
    { token: 'x'.repeat(43), password: 'x'.repeat(129) },
    { currentPassword: '', password: NEW },
    { email: 'a@example.com', password: NEW },
  ])('refuses %j', async (body) => {
    const attempt = gateway.client()(setPassword, { body: body as never })
    await expect(attempt).rejects.toMatchObject({ name: 'RequestValidationError' })
  })
})

test('where passwords are switched off none is set', async () => {
  await using closed = await startIdentity({ env: { DISABLE_LOCAL_SIGNIN: 'true' } })
  for (const body of [{ email: 'a@example.com' }, { token: 'x'.repeat(43), password: NEW }])
    await expect(closed.client()(setPassword, { body })).rejects.toMatchObject({ status: 403 })
})
