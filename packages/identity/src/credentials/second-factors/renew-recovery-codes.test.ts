import {
  createAccessToken,
  createAnonymousSession,
  renewRecoveryCodes,
  submitMfaCode,
} from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD, withAuthenticator, withPassword } from '../../../test/second-factors.ts'
import { startIdentity, type TestIdentity } from '../../../test/start-identity.ts'

let gateway: TestIdentity
beforeAll(async () => {
  gateway = await startIdentity()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const body = { currentPassword: PASSWORD }

describe('new recovery codes', () => {
  it('are ten, and the old ones stop working', async () => {
    const { client, recoveryCodes: before } = await withAuthenticator(gateway, 'renews')
    const { recoveryCodes } = await client(renewRecoveryCodes, { body })
    expect(new Set([...recoveryCodes, ...before]).size).toBe(20)
    const use = (totp = '') => client(submitMfaCode, { body: { totp } })
    await expect(use(before[0])).rejects.toMatchObject({ status: 401 })
    await expect(use(recoveryCodes[0])).resolves.toEqual({ success: true })
    const rows = await gateway.database.many<{ action: string }>(
      sql`select action from audit.entries where subject = 'user:renews' order by sequence`,
    )
    expect(rows.map(({ action }) => action)).toEqual([
      'mfa.enabled',
      'mfa.recoveryCodesRenewed',
      'mfa.refused',
      'mfa.recoveryCodeUsed',
    ])
  })

  it('need a second factor that they can replace', async () => {
    const ada = await withPassword(gateway, 'without')
    const attempt = gateway.client(ada.headers)(renewRecoveryCodes, { body })
    await expect(attempt).rejects.toMatchObject({ name: 'RequestValidationError', status: 400 })
  })

  it('need the current password', async () => {
    const { client } = await withAuthenticator(gateway, 'wrong')
    const attempt = client(renewRecoveryCodes, { body: { currentPassword: 'not mine' } })
    await expect(attempt).rejects.toMatchObject({ name: 'InvalidPassword', status: 400 })
  })

  it.each([{}, { currentPassword: '' }, { ...body, count: 99 }])('are refused for %j', async (invalid) => {
    const ada = await gateway.signIn({ userId: 'invalid' })
    const response = await fetch(`${gateway.url}/v2/user/mfa/recoveryCodes`, {
      method: 'POST',
      headers: { ...ada.headers, 'content-type': 'application/json' },
      body: JSON.stringify(invalid),
    })
    expect(response.status).toBe(400)
  })

  it('need an account: nobody, a visitor and an access token may not', async () => {
    const ada = await withPassword(gateway, 'owner')
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const { token } = await gateway.client(ada.headers)(createAccessToken, {
      body: { name: 'ci', expiresAt },
    })
    const visitor = await gateway.client()(createAnonymousSession)
    const attempt = (headers: Record<string, string>) => gateway.client(headers)(renewRecoveryCodes, { body })
    await expect(attempt({})).rejects.toMatchObject({ status: 401 })
    await expect(attempt({ authorization: `Bearer ${visitor.token}` })).rejects.toMatchObject({ status: 403 })
    await expect(attempt({ authorization: `Bearer ${token}` })).rejects.toMatchObject({ status: 403 })
  })
})
