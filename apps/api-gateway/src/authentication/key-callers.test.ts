import { hashToken, newApiKey } from '@platform/auth'
import { headers as names } from '@platform/contracts'
import { sql } from '@platform/database'
import { newWorkspaceId } from '@platform/kernel'
import { type ApiKeyRecord, type ApiKeyStore, apiKeyStore, permissionStore } from '@platform/permissions'
import { apiKeyRecord } from '@platform/permissions/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type SignedIn,
  startGateway,
  startUpstream,
  type TestGateway,
  type Upstream,
} from '../../test/start-gateway.ts'

let service: Upstream
let gateway: TestGateway
let ada: SignedIn
let keys: ApiKeyStore
let workspaceId: string

beforeAll(async () => {
  service = await startUpstream()
  gateway = await startGateway({ services: service.url })
  ada = await gateway.signIn()
  keys = apiKeyStore(gateway.database)
  workspaceId = newWorkspaceId()
  const workspace = { id: workspaceId, slug: workspaceId, name: 'Name' }
  await permissionStore(gateway.database).insertWorkspace(workspace)
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

async function newKey(options: Partial<ApiKeyRecord> = {}) {
  const orgSlug = options.orgSlug ?? 'default'
  const key = newApiKey(orgSlug)
  const shown = { workspaceId, createdBy: ada.userId, orgSlug, keyTail: key.slice(-4) }
  const record = apiKeyRecord({ ...shown, ...options })
  await keys.insert(record, hashToken(key))
  return { key, record }
}

const path = () => `/v2/workspaces/${workspaceId}`
const send = (headers: Record<string, string>, to = path(), method = 'GET') =>
  fetch(gateway.url + to, { headers, method })
const withKey = (key: string) => ({ [names.apiKey]: key })
const statusOf = async (headers: Record<string, string>, to?: string, method?: string) => {
  const answer = await send(headers, to, method)
  await answer.body?.cancel()
  return answer.status
}

describe('an API key at the gateway', () => {
  test('is resolved to its record id, and goes no further itself', async () => {
    const { key, record } = await newKey()
    expect(await statusOf(withKey(key))).toBe(200)
    const seen = service.seen.at(-1)
    expect(seen?.headers[names.apiKeyId]).toBe(record.id)
    expect(seen?.headers[names.userId]).toBeUndefined()
    expect(JSON.stringify(seen)).not.toContain(key)
  })

  test('beside a user adds its id to the user, whichever way the user came', async () => {
    const { key, record } = await newKey()
    for (const user of [ada.headers, { cookie: `access-token=${ada.jwt}` }]) {
      expect(await statusOf({ ...user, ...withKey(key) })).toBe(200)
      expect(service.seen.at(-1)?.headers).toMatchObject({
        [names.userId]: ada.userId,
        [names.sessionId]: ada.sessionId,
        [names.apiKeyId]: record.id,
      })
    }
    expect(await statusOf(ada.headers)).toBe(200)
    expect(service.seen.at(-1)?.headers).not.toHaveProperty(names.apiKeyId)
  })

  test('an id a client sends itself is removed', async () => {
    const { record } = await newKey()
    expect(await statusOf({ ...ada.headers, [names.apiKeyId]: record.id })).toBe(200)
    expect(service.seen.at(-1)?.headers).not.toHaveProperty(names.apiKeyId)
  })

  test('every good credential of eight mixtures counts, and one bad one refuses all', async () => {
    const { key } = await newKey()
    const bearer = { good: ada.headers.authorization, bad: 'Bearer at:none' }
    const cookie = { good: `access-token=${ada.jwt}`, bad: 'access-token=none' }
    const apiKey = { good: key, bad: 'iak_default_x' }
    const answers: Record<string, number> = {}
    for (const b of [undefined, 'good', 'bad'] as const)
      for (const c of [undefined, 'good', 'bad'] as const)
        for (const k of [undefined, 'good', 'bad'] as const) {
          const headers: Record<string, string> = {}
          if (b !== undefined) headers.authorization = bearer[b]
          if (c !== undefined) headers.cookie = cookie[c]
          if (k !== undefined) headers[names.apiKey] = apiKey[k]
          answers[[b, c, k].map((one) => one ?? '-').join(' ')] = await statusOf(headers)
        }
    for (const [mixture, status] of Object.entries(answers)) {
      const [b = '-', c = '-', k = '-'] = mixture.split(' ')
      // Where Authorization is present the cookie is not read.
      const read = b === '-' ? [c, k] : [b, k]
      const expected = read.includes('bad') || read.every((one) => one === '-') ? 401 : 200
      expect(`${mixture}: ${status}`).toBe(`${mixture}: ${expected}`)
    }
  })

  test.each([
    ['GET', '/v2/me', 403],
    ['GET', '/v2/user/accessTokens', 403],
    ['POST', '/v2/user/accessTokens', 403],
    ['POST', 'security', 403],
    ['PUT', 'security/apikeys/x', 403],
  ])('alone is refused %s %s', async (method, to, status) => {
    const { key } = await newKey()
    const headers = { ...withKey(key), 'content-type': 'application/json' }
    const url = to.startsWith('/') ? to : `${path()}/${to === 'security' ? 'security/apikeys' : to}`
    expect(await statusOf(headers, url, method)).toBe(status)
  })

  test('a forged slug is 401, and a slug with underscores is read right', async () => {
    const { key } = await newKey({ orgSlug: 'my_own_org' })
    const uuid = key.slice('iak_my_own_org_'.length)
    expect(await statusOf(withKey(key))).toBe(200)
    for (const slug of ['default', 'otherorg', 'my_own', 'own_org', 'my_own_org_'])
      expect(await statusOf(withKey(`iak_${slug}_${uuid}`))).toBe(401)
    for (const text of [
      uuid,
      `iak_${uuid}`,
      `iak__${uuid}`,
      key.toUpperCase(),
      `${key}0`,
      key.slice(0, -1),
      'iak_',
    ])
      expect(await statusOf(withKey(text))).toBe(401)
  })

  test('is refused by every instance within a second of being deleted, disabled or expired', async () => {
    await using second = await startGateway({ services: service.url, databaseUrl: gateway.databaseUrl })
    const made = await Promise.all([newKey(), newKey(), newKey({ expiresAt: new Date(Date.now() + 2000) })])
    const statuses = () =>
      Promise.all(
        made.flatMap(({ key }) =>
          [gateway.url, second.url].map(async (url) => {
            const answer = await fetch(url + path(), { headers: withKey(key) })
            await answer.body?.cancel()
            return answer.status
          }),
        ),
      )
    expect(await statuses()).toEqual(Array(6).fill(200))
    const [deleted, disabled] = made
    await keys.remove(deleted.record.id)
    await keys.update({ ...disabled.record, disabled: true })
    const startedAt = performance.now()
    const gone = async () => (await statuses()).slice(0, 4)
    await expect.poll(gone, { interval: 20 }).toEqual(Array(4).fill(401))
    expect(performance.now() - startedAt).toBePrompt(1200)
    await expect.poll(statuses, { interval: 20 }).toEqual(Array(6).fill(401))
  })

  test('ends when its creator is deactivated', async () => {
    const eve = await gateway.signIn()
    const { key } = await newKey({ createdBy: eve.userId })
    expect(await statusOf(withKey(key))).toBe(200)
    await gateway.database.many(sql`update gateway.users set status = 'deactivated' where id = ${eve.userId}`)
    await expect.poll(() => statusOf(withKey(key)), { timeout: 1500, interval: 20 }).toBe(401)
  })

  test('made by the power of a super administrator ends with that power', async () => {
    const root = await gateway.signIn({ superAdmin: true })
    const { key } = await newKey({ createdBy: root.userId, createdAsSuperAdmin: true })
    expect(await statusOf(withKey(key))).toBe(200)
    await gateway.database.many(sql`update gateway.users set platform_role = null where id = ${root.userId}`)
    await expect.poll(() => statusOf(withKey(key)), { timeout: 1500, interval: 20 }).toBe(401)
  })

  test('notes when it was used, off the path of the request', async () => {
    const { key, record } = await newKey()
    expect(await statusOf(withKey(key))).toBe(200)
    const lastUse = async () => (await keys.findById(record.id))?.lastUsedAt
    await expect.poll(lastUse).toBeInstanceOf(Date)
  })
})

describe('guessing', () => {
  test('ten bad keys a minute from an address, then 429; a key that worked goes on working', async () => {
    await using limited = await startGateway({
      services: service.url,
      databaseUrl: gateway.databaseUrl,
      env: { RATE_LIMIT_DISABLED: 'false' },
    })
    const { key } = await newKey()
    const ask = async (text: string) => {
      const answer = await fetch(limited.url + path(), { headers: withKey(text) })
      await answer.body?.cancel()
      return answer
    }
    expect((await ask(key)).status).toBe(200)
    const statuses = []
    for (let count = 0; count < 14; count += 1)
      statuses.push((await ask(count % 2 === 0 ? newApiKey('default') : 'iak_nonsense')).status)
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(4).fill(429)])
    const refused = await ask(newApiKey('default'))
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('ratelimit-policy')).toBe('"bad-api-keys";q=10;w=60')
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
    expect((await ask(key)).status).toBe(200)
  }, 30_000)
})
