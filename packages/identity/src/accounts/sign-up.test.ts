import { createAccessToken, signUp, validateAccount } from '@platform/contracts'
import { sql } from '@platform/database'
import { isUuid } from '@platform/kernel'
import { rounds } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventsOf, somebody, startWithMail, type WithMail } from '../../test/accounts.ts'
import { startIdentity } from '../../test/start-identity.ts'
import { timeDifference } from '../../test/time-difference.ts'
import { untilAdmitted } from '../../test/until-admitted.ts'
import { RECOMMENDED_COST } from '../credentials/passwords/password-hash.ts'

let world: WithMail
let gateway: WithMail['gateway']
beforeAll(async () => {
  world = await startWithMail()
  gateway = world.gateway
})
afterAll(() => world[Symbol.asyncDispose]())

const make = (person: ReturnType<typeof somebody>) =>
  untilAdmitted(() => gateway.client()(signUp, { body: person }))
const rowOf = async (email: string) => {
  const [row] = await gateway.database.many<{ id: string; status: string; password_hash: string }>(
    sql`select * from gateway.users where email = ${email}`,
  )
  return row
}

describe('signing up where mail validates', () => {
  test('makes an account that waits, and mails a link', async () => {
    const person = somebody({ language: 'fr' })
    const user = await make({ ...person, email: person.email.toUpperCase() })
    expect(user).toMatchObject({
      email: person.email,
      firstName: 'Ada',
      status: 'pending',
      authData: { prismeai: {} },
      language: 'fr',
    })
    const mail = await world.mailTo(person.email)
    expect(mail.subject).toContain('Confirmez votre adresse')
    expect(mail.url).toMatch(/^http:\/\/localhost:3001\/account\/validate\?token=[0-9A-Za-z]{43}$/)
    expect(mail.html).toContain(mail.url)
    expect(await rowOf(person.email)).toMatchObject({ id: user.id, status: 'pending' })
  })

  test('knows an address in whatever way it is written, and mails to the one it has', async () => {
    const person = somebody()
    const { id } = await make(person)
    const [local = '', domain = ''] = person.email.split('@')
    const wide = [...local]
      .map((letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0))
      .join('')
    for (const email of [`${wide}@${domain}`, `${local}@${domain}.`, `${local.toUpperCase()}@${domain}`])
      expect((await make({ ...person, email })).email, email).toBe(person.email)
    const rows =
      await gateway.database.many(sql`select id from gateway.users where email like ${`%${domain}%`}
      and email like ${`${local}%`}`)
    expect(rows).toEqual([{ id }])
  })

  test.each(['\u0430da@example.com', 'jos\u00e9@example.com', 'a\u0301da@example.com'])(
    'refuses %s, which another address could be taken for',
    async (email) => {
      await expect(make(somebody({ email }))).rejects.toMatchObject({
        name: 'RequestValidationError',
        message: expect.stringContaining('before the @'),
      })
    },
  )

  test.each([
    ['Password123', 'tried first'],
    ['lovelace1815', 'your name or address'],
  ])('refuses the password %s with a sentence', async (password, sentence) => {
    await expect(make(somebody({ password }))).rejects.toMatchObject({
      name: 'RequestValidationError',
      message: expect.stringContaining(sentence),
    })
  })

  test('keeps neither the password nor a link in the database', async () => {
    const person = somebody({ password: 'a password to look for' })
    await make(person)
    const { token } = await world.mailTo(person.email)
    const rows = await gateway.database.many(sql`
      select users.*, token.*, mail.sealed from gateway.users left join gateway.mailed_tokens as token
      on token.user_id = users.id
      left join gateway.mails as mail on true where users.email = ${person.email}`)
    expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${token}|to look for`))
  })

  test('a known address gets the same answer, and its owner a mail', async () => {
    const person = somebody()
    const first = await make(person)
    const before = await rowOf(person.email)
    const again = await make({ ...person, firstName: 'Eve', password: 'another password' })
    expect(Object.keys(again).sort()).toEqual(Object.keys(first).sort())
    expect(again).toMatchObject({ email: person.email, firstName: 'Eve', status: 'pending' })
    expect(isUuid(again.id)).toBe(true)
    expect(again.id).not.toBe(first.id)
    expect(await rowOf(person.email)).toEqual(before)
    const mail = await world.mailTo(person.email, 2)
    expect(mail.subject).toContain('already have an account')
    expect(mail.url).toContain('/account/password?token=')
  })

  test('emits gateway.signup.succeeded and leaves an audit row', async () => {
    const { id } = await make(somebody())
    const events = await eventsOf(gateway, 'gateway.signup.succeeded', id)
    expect(events).toMatchObject([
      { source: { userId: id, host: { service: 'api-gateway' } }, payload: { ip: 'private', user: { id } } },
    ])
    expect(JSON.stringify(events)).not.toMatch(/hash|password/i)
    const trail = await gateway.database.many(sql`
      select actor from audit.entries where action = 'account.created' and subject = ${`user:${id}`}`)
    expect(trail).toEqual([{ actor: `user:${id}` }])
  })

  test.each([
    { email: 'no address' },
    { email: 'two@example.com,three@example.com' },
    { email: 'line@example.com\nbcc: x@example.com' },
    { password: 'short' },
    { password: 'x'.repeat(129) },
    { firstName: '<b>' },
    { lastName: '' },
    { platformRole: 'superAdmin' },
  ])('refuses %j', async (wrong) => {
    const body = { ...somebody(), ...wrong }
    await expect(make(body)).rejects.toMatchObject({ name: 'RequestValidationError' })
  })

  test('an access token may not', async () => {
    const ada = await gateway.signIn()
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const { token } = await gateway.client(ada.headers)(createAccessToken, {
      body: { name: 'ci', expiresAt },
    })
    const attempt = gateway.client({ authorization: `Bearer ${token}` })(signUp, { body: somebody() })
    await expect(attempt).rejects.toMatchObject({ name: 'ForbiddenError' })
  })

  test('twenty people with one address at once are one account', async () => {
    const person = somebody()
    const users = await Promise.all(Array.from({ length: 20 }, () => make(person)))
    expect(new Set(users.map(({ id }) => id)).size).toBe(20)
    const rows = await gateway.database.many(sql`select 1 from gateway.users where email = ${person.email}`)
    expect(rows).toHaveLength(1)
  })
})

describe('signing up where passwords cost what they cost in production', () => {
  let costly: WithMail
  beforeAll(async () => {
    costly = await startWithMail({}, RECOMMENDED_COST)
  })
  afterAll(() => costly[Symbol.asyncDispose]())

  const makeCostly = (person: ReturnType<typeof somebody>) =>
    costly.gateway.client()(signUp, { body: person })

  test('a known address takes as long as a new one', { timeout: 120_000 }, async () => {
    const taken = somebody()
    await makeCostly(taken)
    const known = () => makeCostly(taken)
    const unknown = () => makeCostly(somebody())
    const measure = { turns: rounds(10, 30), enough: 0.3 }
    expect(await timeDifference(measure, known, unknown)).toBeLessThan(0.3)
  })

  test('a flood is refused with 503 beyond the queue, and says when to come back', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => makeCostly(somebody())))
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    for (const { reason } of refused)
      expect(reason).toMatchObject({ name: 'ServiceUnavailable', status: 503 })
    const beyondQueue = { message: expect.stringContaining('Too many people'), retryAfterSeconds: 3 }
    expect(refused.map(({ reason }) => reason)).toContainEqual(expect.objectContaining(beyondQueue))
    const later = await untilAdmitted(() => makeCostly(somebody()))
    expect(later.status).toBe('pending')
  })
})

describe('signing up elsewhere', () => {
  test('where nothing validates, an account is usable at once and a known address is told', async () => {
    await using open = await startIdentity({ env: { ACCOUNT_VALIDATION_METHOD: 'auto' } })
    const person = somebody()
    const user = await open.client()(signUp, { body: person })
    expect(user.status).toBe('validated')
    await expect(open.client()(signUp, { body: person })).rejects.toMatchObject({
      name: 'AlreadyUsed',
      status: 409,
    })
    await using manual = await startIdentity({ env: { ACCOUNT_VALIDATION_METHOD: 'manual' } })
    expect((await manual.client()(signUp, { body: somebody() })).status).toBe('pending')
  })

  test('DISABLE_LOCAL_SIGNUP refuses everybody', async () => {
    await using closed = await startIdentity({ env: { DISABLE_LOCAL_SIGNUP: 'true' } })
    await expect(closed.client()(signUp, { body: somebody() })).rejects.toMatchObject({ status: 403 })
  })

  test('one account a minute from one address', async () => {
    await using limited = await startIdentity({ env: { RATE_LIMIT_DISABLED: 'false' } })
    await limited.client()(signUp, { body: somebody() })
    const response = await fetch(`${limited.url}/v2/signup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(somebody()),
    })
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(response.headers.get('x-ratelimit-limit')).toBe('1')
    expect(response.headers.get('ratelimit-policy')).toBe('"signup";q=1;w=60')
  })

  test('in production, only administrators make accounts until a mail server or a method is named', async () => {
    const { readConfig } = await import('@platform/config')
    const { accountsEnv } = await import('./accounts-env.ts')
    expect(readConfig(accountsEnv, { NODE_ENV: 'production' })).toEqual({
      validation: 'manual',
      localSignIn: true,
      localSignUp: false,
    })
    const mailed = { NODE_ENV: 'production', ACCOUNT_VALIDATION_METHOD: 'email' }
    expect(() => readConfig(accountsEnv, mailed)).toThrow(/SMTP_HOST/)
    const manual = { NODE_ENV: 'production', ACCOUNT_VALIDATION_METHOD: 'manual' }
    expect(readConfig(accountsEnv, manual)).toMatchObject({ validation: 'manual', localSignUp: true })
    const withServer = { NODE_ENV: 'production', SMTP_HOST: 'mail' }
    expect(readConfig(accountsEnv, withServer)).toMatchObject({ validation: 'email', localSignUp: true })
    expect(readConfig(accountsEnv, { NODE_ENV: 'development' }).validation).toBe('auto')
  })
})

test('SUPER_ADMIN_EMAILS counts only once a mail was answered', async () => {
  await using world = await startWithMail({ SUPER_ADMIN_EMAILS: 'boss@example.com' })
  const { gateway } = world
  const made = await gateway.client()(signUp, { body: somebody({ email: 'boss@example.com' }) })
  expect(made.platformRole).toBeUndefined()
  const { token } = await world.mailTo('boss@example.com')
  await gateway.client()(validateAccount, { body: { token } })
  const trail = await gateway.database.many(sql`
    select action from audit.entries where subject = ${`user:${made.id}`} order by sequence`)
  expect(trail).toEqual([
    { action: 'account.created' },
    { action: 'account.validated' },
    { action: 'account.roleChanged' },
  ])
})
