import { openAudit } from '@platform/audit'
import { listAudit } from '@platform/contracts'
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
    ({
      action: 'accessToken.created',
      actor: 'user:list',
      subject: `accessToken:${n}`,
      details: { n },
    }) as const
  await audit.note(entry(1), entry(2), entry(3))
})
afterAll(() => gateway[Symbol.asyncDispose]())

describe('GET /v2/platform/audit', () => {
  test('answers the newest rows first to a super administrator and to the platform itself', async () => {
    for (const headers of [root.headers, gateway.internalHeaders]) {
      const rows = await gateway.client(headers)(listAudit, { query: { limit: '2', actor: 'user:list' } })
      expect(rows).toMatchObject([
        { action: 'accessToken.created', subject: 'accessToken:3', ip: null, details: { n: 3 } },
        { subject: 'accessToken:2' },
      ])
      const before = String(rows[1]?.sequence)
      const rest = await gateway.client(headers)(listAudit, { query: { before, actor: 'user:list' } })
      expect(rest.map(({ subject }) => subject)).toEqual(['accessToken:1'])
    }
  })

  test('finds by action and subject', async () => {
    const query = { action: 'accessToken.created', subject: 'accessToken:2' } as const
    expect(await gateway.client(root.headers)(listAudit, { query })).toHaveLength(1)
    const other = { ...query, action: 'accessToken.revoked' } as const
    expect(await gateway.client(root.headers)(listAudit, { query: other })).toEqual([])
  })

  test.each(['limit=0', 'limit=501', 'limit=x', 'before=-1', 'action=nothing', 'subjekt=x'])(
    'refuses %s',
    async (query) => {
      const { status } = await fetch(`${gateway.url}/v2/platform/audit?${query}`, { headers: root.headers })
      expect(status).toBe(400)
    },
  )

  test('is not for callers without a credential, nor for others than super administrators', async () => {
    await expect(gateway.client()(listAudit)).rejects.toMatchObject({ status: 401 })
    const ada = await gateway.signIn()
    await expect(gateway.client(ada.headers)(listAudit)).rejects.toMatchObject({
      name: 'ForbiddenError',
      status: 403,
    })
  })

  test('is an empty list where there is nothing', async () => {
    expect(await gateway.client(root.headers)(listAudit, { query: { subject: 'user:none' } })).toEqual([])
  })

  test('is kept by nobody on the way', async () => {
    const response = await fetch(`${gateway.url}/v2/platform/audit`, { headers: root.headers })
    expect(response.headers.get('cache-control')).toBe('no-store')
  })
})
