import { openAudit } from '@platform/audit'
import { verifyAudit } from '@platform/contracts'
import { raw } from '@platform/database'
import { systemClock } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SignedIn } from '../../test/signed-in.ts'
import { startIdentity, type TestIdentity } from '../../test/start-identity.ts'

let gateway: TestIdentity
let root: SignedIn
beforeAll(async () => {
  gateway = await startIdentity()
  root = await gateway.signIn({ superAdmin: true })
  const audit = await openAudit({ database: gateway.database, clock: systemClock })
  const entry = (n: number) =>
    ({ action: 'accessToken.created', actor: 'user:x', subject: `accessToken:${n}` }) as const
  await audit.note(entry(1), entry(2), entry(3))
})
afterAll(() => gateway[Symbol.asyncDispose]())

describe('GET /v2/platform/audit/verification', () => {
  test('answers that the trail is whole, and the head to note', async () => {
    const verdict = await gateway.client(root.headers)(verifyAudit)
    expect(verdict).toMatchObject({
      intact: true,
      broken: null,
      head: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(verdict.entries).toBeGreaterThanOrEqual(3)
    const again = await gateway.client(gateway.internalHeaders)(verifyAudit, {
      query: { head: verdict.head ?? '' },
    })
    expect(again.intact).toBe(true)
  })

  test('finds that a noted head is gone', async () => {
    const verdict = await gateway.client(root.headers)(verifyAudit, { query: { head: 'a'.repeat(64) } })
    expect(verdict).toMatchObject({ intact: false, broken: { reason: expect.stringContaining('noted') } })
  })

  test.each(['head=abc', `head=${'g'.repeat(64)}`, 'other=1'])('refuses %s', async (query) => {
    const { status } = await fetch(`${gateway.url}/v2/platform/audit/verification?${query}`, {
      headers: root.headers,
    })
    expect(status).toBe(400)
  })

  test('is not for callers without a credential, nor for others than super administrators', async () => {
    await expect(gateway.client()(verifyAudit)).rejects.toMatchObject({ status: 401 })
    const ada = await gateway.signIn()
    await expect(gateway.client(ada.headers)(verifyAudit)).rejects.toMatchObject({ status: 403 })
  })

  test('names the row that was changed behind its back', async () => {
    await gateway.database.many(raw('alter table audit.entries disable trigger user'))
    await gateway.database.many(raw("update audit.entries set actor = 'user:mallory' where sequence = 2"))
    expect(await gateway.client(root.headers)(verifyAudit)).toMatchObject({
      intact: false,
      broken: { sequence: 2, reason: 'Row 2 was changed after it was written.' },
    })
  })
})
