import { createAccessToken, createAnonymousSession, setMfa, submitMfaCode } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeOf, PASSWORD, withAuthenticator, withPassword, wrongCode } from '../../../test/second-factors.ts'
import { startIdentity, type TestIdentity } from '../../../test/start-identity.ts'

let gateway: TestIdentity
beforeAll(async () => {
  gateway = await startIdentity()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('a one-time code sent with a credential', () => {
  it('confirms the enrolment and shows ten recovery codes, once', async () => {
    const ada = await withPassword(gateway, 'confirms')
    const client = gateway.client(ada.headers)
    const begun = await client(setMfa, { body: { method: 'totp', currentPassword: PASSWORD } })
    const secret = 'secret' in begun ? begun.secret : ''
    const wrong = client(submitMfaCode, { body: { totp: wrongCode(secret) } })
    await expect(wrong).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
    const done = await client(submitMfaCode, { body: { totp: codeOf(secret) } })
    expect(done).toEqual({ success: true, recoveryCodes: expect.arrayContaining([expect.any(String)]) })
    expect(done.recoveryCodes).toHaveLength(10)
  })

  it('works once, also when it is sent many times at once', async () => {
    const { client, secret } = await withAuthenticator(gateway, 'once')
    const totp = codeOf(secret, 1)
    const attempts = Array.from({ length: 10 }, () => client(submitMfaCode, { body: { totp } }))
    const results = await Promise.allSettled(attempts)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(client(submitMfaCode, { body: { totp: codeOf(secret) } })).rejects.toMatchObject({
      status: 401,
    })
  })

  it('confirms an enrolment once when it is sent many times at once', async () => {
    const ada = await withPassword(gateway, 'confirms once')
    const client = gateway.client(ada.headers)
    const begun = await client(setMfa, { body: { method: 'totp', currentPassword: PASSWORD } })
    const totp = codeOf('secret' in begun ? begun.secret : '')
    const attempts = Array.from({ length: 6 }, () => client(submitMfaCode, { body: { totp } }))
    const results = await Promise.allSettled(attempts)
    const shown = results.filter(
      (result) => result.status === 'fulfilled' && result.value.recoveryCodes !== undefined,
    )
    expect(shown).toHaveLength(1)
  })

  it('may be a recovery code, which works once', async () => {
    const { client, recoveryCodes } = await withAuthenticator(gateway, 'recovers')
    const [totp = ''] = recoveryCodes
    const attempts = Array.from({ length: 10 }, () => client(submitMfaCode, { body: { totp } }))
    const results = await Promise.allSettled(attempts)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('does not work for somebody else', async () => {
    const { secret, recoveryCodes } = await withAuthenticator(gateway, 'victim')
    const { client } = await withAuthenticator(gateway, 'thief')
    for (const totp of [codeOf(secret, 1), recoveryCodes[0] ?? ''])
      await expect(client(submitMfaCode, { body: { totp } })).rejects.toMatchObject({ status: 401 })
  })

  it('is told in events and audit trail when it is wrong', async () => {
    const { client, secret, person } = await withAuthenticator(gateway, 'logged')
    await client(submitMfaCode, { body: { totp: wrongCode(secret) } }).catch(() => undefined)
    const rows = await gateway.database.many<{ action: string }>(sql`
      select action from audit.entries where subject = ${`user:${person.userId}`} order by sequence`)
    expect(rows.map(({ action }) => action)).toEqual(['mfa.enabled', 'mfa.refused'])
    const events = await gateway.database.many<{ record: { payload: object } }>(sql`
      select record from outbox.events where type = 'gateway.mfa.failed' and record::text like '%logged@example.com%'`)
    expect(events.map(({ record }) => record.payload)).toEqual([
      { ip: expect.any(String), email: 'logged@example.com' },
    ])
  })

  it('answers MissingMFA where there is nothing to confirm', async () => {
    const ada = await withPassword(gateway, 'nothing')
    const attempt = gateway.client(ada.headers)(submitMfaCode, { body: { totp: '123456' } })
    await expect(attempt).rejects.toMatchObject({ name: 'MissingMFA', status: 401 })
  })

  it.each([
    {},
    { totp: '12345' },
    { totp: 123456 },
    { totp: 'x'.repeat(21) },
    { totp: '123456', interaction: '../..' },
    { totp: '123456', more: true },
  ])('is refused as %j', async (invalid) => {
    const response = await fetch(`${gateway.url}/v2/login/mfa`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(invalid),
    })
    expect(response.status).toBe(400)
  })

  it('needs an account: nobody, a visitor and an access token may not', async () => {
    const ada = await withPassword(gateway, 'owner')
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const { token } = await gateway.client(ada.headers)(createAccessToken, {
      body: { name: 'ci', expiresAt },
    })
    const visitor = await gateway.client()(createAnonymousSession)
    const attempt = (headers: Record<string, string>) =>
      gateway.client(headers)(submitMfaCode, { body: { totp: '123456' } })
    await expect(attempt({})).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
    await expect(attempt(bearer(visitor.token))).rejects.toMatchObject({ status: 403 })
    await expect(attempt(bearer(token))).rejects.toMatchObject({ status: 403 })
  })

  it('answers MissingMFA for a sign-in that is not there', async () => {
    const attempt = gateway.client()(submitMfaCode, { body: { totp: '123456', interaction: 'nobodys' } })
    await expect(attempt).rejects.toMatchObject({ name: 'MissingMFA', status: 401 })
  })
})

describe('guessing one-time codes', () => {
  it('ends after five in a minute for an account, recovery codes and enrolment included', async () => {
    await using limited = await startIdentity({ env: { RATE_LIMIT_DISABLED: 'false' } })
    const { person, secret } = await withAuthenticator(limited, 'ada')
    const attempts = Array.from({ length: 20 }, (_, index) =>
      fetch(`${limited.url}/v2/login/mfa`, {
        method: 'POST',
        headers: { ...person.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ totp: index % 2 === 0 ? wrongCode(secret) : 'AAAAA-AAAAA-AAAAA' }),
      }),
    )
    const answers = await Promise.all(attempts)
    const statuses = answers.map(({ status }) => status)
    // The code that confirmed the authenticator was the first.
    expect(statuses.filter((status) => status === 401)).toHaveLength(4)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(16)
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused[0]?.headers.get('ratelimit-policy')).toBe('"second-factor";q=5;w=60')
    expect(refused[0]?.headers.get('x-ratelimit-remaining')).toBe('0')
  })
})
