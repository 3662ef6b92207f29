import { hashToken, newApiKey } from '@platform/auth'
import type { RateLimiter } from '@platform/http'
import { newWorkspaceId, systemClock } from '@platform/kernel'
import { type ApiKeyStore, apiKeyStore, permissionStore } from '@platform/permissions'
import { apiKeyRecord } from '@platform/permissions/testing'
import { rounds } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startIdentity, type TestIdentity } from '../../test/start-identity.ts'
import { apiKeySource } from './api-key-source.ts'
import { CredentialGuessLimiter } from './credential-guess-limiter.ts'

let identity: TestIdentity
let keys: ApiKeyStore
let key: string
beforeAll(async () => {
  identity = await startIdentity()
  keys = apiKeyStore(identity.database)
  const workspaceId = newWorkspaceId()
  await permissionStore(identity.database).insertWorkspace({
    id: workspaceId,
    slug: workspaceId,
    name: 'Name',
  })
  key = newApiKey('default')
  await keys.insert(apiKeyRecord({ workspaceId, createdBy: 'ada', keyTail: key.slice(-4) }), hashToken(key))
})
afterAll(() => identity[Symbol.asyncDispose]())

const noLimits: RateLimiter = { take: async () => undefined, giveBack: () => undefined }

const unlimited = () => ({
  keys,
  findUser: async (id: string) => ({ id, status: 'validated', platformRole: undefined }) as never,
  guessLimiter: new CredentialGuessLimiter({ rateLimiter: noLimits }),
  rateLimiter: noLimits,
  clock: systemClock,
})

describe('the callers of API keys', () => {
  test('a hundred requests with a key ask the database a few times and not a hundred', async () => {
    const findByHash = vi.fn(keys.findByHash)
    const find = apiKeySource({ ...unlimited(), keys: { findByHash } })
    for (let count = 0; count < 100; count += 1) expect(await find(hashToken(key), 'ip')).toBeDefined()
    expect(findByHash.mock.calls.length).toBeLessThanOrEqual(2)
  })

  test('is not called bad while the database can’t answer', async () => {
    const down = { findByHash: () => Promise.reject(new Error('down')) }
    const take = vi.fn()
    const find = apiKeySource({
      ...unlimited(),
      keys: down,
      rateLimiter: { take, giveBack: () => undefined },
    })
    await expect(find(hashToken(newApiKey('default')), 'ip')).rejects.toThrow('down')
    expect(take).not.toHaveBeenCalled()
  })
})

describe('guessing', () => {
  test('a guess that shares a beginning with a real key takes no longer than any other: |t| < 4.5', async () => {
    const find = apiKeySource(unlimited())
    const samples: [number[], number[]] = [[], []]
    for (let count = 0; count < rounds(2000, 10_000); count += 1) {
      const kind = Math.random() < 0.5 ? 0 : 1
      const other = newApiKey('default')
      const guess = kind === 0 ? key.slice(0, -8) + other.slice(-8) : other
      const startedAt = performance.now()
      await find(hashToken(guess), 'ip')
      samples[kind].push(performance.now() - startedAt)
    }
    const t = welch(...(samples.map(withoutOutliers) as [number[], number[]]))
    expect(Math.abs(t)).toBeLessThan(4.5)
  }, 60_000)
})

/** What the machine did meanwhile says nothing about the look-up. */
const withoutOutliers = (samples: number[]): number[] =>
  [...samples].sort((a, b) => a - b).slice(0, Math.floor(samples.length * 0.95))

function welch(a: number[], b: number[]): number {
  const mean = (list: number[]) => list.reduce((sum, one) => sum + one, 0) / list.length
  const variance = (list: number[], m: number) =>
    list.reduce((sum, one) => sum + (one - m) ** 2, 0) / (list.length - 1)
  const [ma, mb] = [mean(a), mean(b)]
  return (ma - mb) / Math.sqrt(variance(a, ma) / a.length + variance(b, mb) / b.length)
}
