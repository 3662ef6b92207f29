import { createAccessToken, signUp, validateAccount } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  PASSWORD,
  passwordOutcome,
  somebody,
  startWithMail,
  type WithMail,
  withAccount,
} from '../../test/accounts.ts'
import { startIdentity } from '../../test/start-identity.ts'

let world: WithMail
let gateway: WithMail['gateway']
beforeAll(async () => {
  world = await startWithMail()
  gateway = world.gateway
})
afterAll(() => world[Symbol.asyncDispose]())

const validate = (token: string) => gateway.client()(validateAccount, { body: { token } })
const askFor = (email: string) => gateway.client()(validateAccount, { body: { email } })
const refused = { name: 'InvalidOrExpiredToken', status: 400 }

async function signedUp() {
  const person = somebody()
  const { id } = await gateway.client()(signUp, { body: person })
  const { token } = await world.mailTo(person.email)
  return { ...person, id, token }
}

describe('POST /v2/user/validate with a token', () => {
  test('makes the account usable, once', async () => {
    const person = await signedUp()
    expect(await passwordOutcome(gateway, person.email, PASSWORD)).toBe('unvalidated')
    expect(await validate(person.token)).toEqual({ success: true })
    expect(await passwordOutcome(gateway, person.email, PASSWORD)).toBe('matches')
    await expect(validate(person.token)).rejects.toMatchObject(refused)
  })

  test('of twenty at once, one succeeds', async () => {
    const { token } = await signedUp()
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => validate(token)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('a wrong, expired, foreign or outdated one is refused with the same words', async () => {
    const [late, moved] = [await signedUp(), await signedUp()]
    await gateway.database.many(
      sql`update gateway.mailed_tokens set expires_at = now() where user_id = ${late.id}`,
    )
    await gateway.database.many(
      sql`update gateway.users set email = ${`moved-${moved.email}`} where id = ${moved.id}`,
    )
    const messages = new Set<string>()
    for (const token of ['x'.repeat(43), late.token, moved.token])
      await validate(token).catch((error: Error) => messages.add(`${error.name} ${error.message}`))
    expect([...messages]).toEqual([expect.stringContaining('InvalidOrExpiredToken')])
  })

  test('a deactivated account stays deactivated', async () => {
    const person = await signedUp()
    await gateway.database.many(sql`update gateway.users set status = 'deactivated' where id = ${person.id}`)
    await validate(person.token)
    expect(await passwordOutcome(gateway, person.email, PASSWORD)).toBe('deactivated')
  })

  test.each([{}, { token: 'short' }, { token: 'x'.repeat(43), email: 'a@example.com' }, { email: 'none' }])(
    'refuses %j',
    async (body) => {
      const attempt = gateway.client()(validateAccount, { body: body as never })
      await expect(attempt).rejects.toMatchObject({ name: 'RequestValidationError' })
    },
  )
})

describe('POST /v2/user/validate with an address', () => {
  test('mails the link again, and the older one works too', async () => {
    const person = await signedUp()
    expect(await askFor(person.email)).toEqual({ success: true })
    const again = await world.mailTo(person.email, 2)
    expect(again.token).not.toBe(person.token)
    await validate(person.token)
    await validate(again.token)
  })

  test('is silent about unknown and validated addresses, and takes its time for them', async () => {
    const { email } = await withAccount(world)
    const before = (await world.mails()).length
    for (const address of [email, `nobody-${email}`]) {
      const started = performance.now()
      expect(await askFor(address)).toEqual({ success: true })
      expect(performance.now() - started).toBeGreaterThan(95)
    }
    const waiting = await gateway.database.many(sql`select 1 from gateway.mails`)
    expect([waiting.length, (await world.mails()).length]).toEqual([0, before])
  })

  test('an access token may not ask, and one address may once a minute', async () => {
    const ada = await gateway.signIn()
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const { token } = await gateway.client(ada.headers)(createAccessToken, {
      body: { name: 'ci', expiresAt },
    })
    const asToken = gateway.client({ authorization: `Bearer ${token}` })
    await expect(asToken(validateAccount, { body: { email: 'a@example.com' } })).rejects.toMatchObject({
      status: 403,
    })
    await using limited = await startIdentity({ env: { RATE_LIMIT_DISABLED: 'false' } })
    const ask = () => limited.client()(validateAccount, { body: { email: 'a@example.com' } })
    await ask()
    await expect(ask()).rejects.toMatchObject({ name: 'TooManyRequests', status: 429 })
  })
})
