import { openMemoryCache } from '@platform/cache'
import { createLogger } from '@platform/logging'
import { rateLimiter } from '@platform/rate-limits'
import { describe, expect, it } from 'vitest'
import type { SignInFailed } from '../../audit/sign-in-log.ts'
import type { UserRecord } from '../../users/user.ts'
import { codeAttempts } from './code-attempts.ts'

const person = (id: string) => ({ id, email: `${id}@example.com` }) as UserRecord

function newAttempts(points: ReadonlyMap<string, number> = new Map()) {
  const failed: SignInFailed[] = []
  const locked: string[] = []
  const attempts = codeAttempts({
    rateLimiter: rateLimiter({
      cache: openMemoryCache(),
      log: createLogger({ level: 'silent' }),
      service: 'test',
      settings: { disabled: false, points },
    }),
    signInLog: { codeFailed: async (attempt) => void failed.push(attempt) },
    lockedForToday: async (user) => void locked.push(user.id),
  })
  return { attempts, failed, locked }
}

const wrong = async () => undefined
const right = async () => 'right' as const

describe('attempts at second factors', () => {
  it('are five a minute for an account, from whatever address, and the sixth is not looked at', async () => {
    const { attempts, failed } = newAttempts()
    const results = []
    for (let count = 0; count < 6; count += 1)
      results.push(await attempts(person('ada'), { ip: `10.0.0.${count}` }, wrong))
    expect(results).toEqual([
      ...Array(5).fill('wrong'),
      { tooMany: expect.objectContaining({ resetSeconds: 60 }) },
    ])
    expect(await attempts(person('ada'), { ip: '10.0.1.1' }, right)).toHaveProperty('tooMany')
    expect(await attempts(person('bob'), { ip: '10.0.1.1' }, right)).toBe('right')
    expect(failed).toHaveLength(5)
  })

  it('are sixty a minute from one address, for whoever has many passwords', async () => {
    const { attempts } = newAttempts()
    const one = (index: number) => attempts(person(`user${index}`), { ip: '10.0.0.1' }, wrong)
    const results = await Promise.all(Array.from({ length: 61 }, (_, index) => one(index)))
    expect(results.filter((result) => result === 'wrong')).toHaveLength(60)
    expect(results.filter((result) => typeof result === 'object')).toHaveLength(1)
  })

  it('of wrong codes are a hundred a day for an account; then none is taken, and that is told once', async () => {
    const { attempts, locked } = newAttempts(new Map([['RATE_LIMIT_SECOND_FACTOR', 1_000_000]]))
    const one = (attempt: () => Promise<'right' | undefined>, index = 0) =>
      attempts(person('ada'), { ip: `10.0.${index % 50}.1` }, attempt)
    for (let index = 0; index < 99; index += 1) expect(await one(wrong, index)).toBe('wrong')
    for (let index = 0; index < 20; index += 1) expect(await one(right, index)).toBe('right')
    await expect(one(() => Promise.reject(new Error('the store is down')))).rejects.toThrow('store')
    expect(locked).toEqual([])
    expect(await one(wrong)).toBe('wrong')
    expect(locked).toEqual(['ada'])
    const refused = await Promise.all([one(right, 1), one(wrong, 2), one(right, 3)])
    for (const result of refused) {
      expect(result).toMatchObject({
        tooMany: { limit: { name: 'second-factor-day' }, resetSeconds: 86_400 },
      })
    }
    expect(locked).toEqual(['ada'])
    expect(await attempts(person('bob'), { ip: '10.0.0.1' }, right)).toBe('right')
  })

  it('that fail are told with address and request, and nothing of the code', async () => {
    const { attempts, failed } = newAttempts()
    await attempts(person('ada'), { ip: '10.0.0.1', correlationId: 'c1' }, wrong)
    expect(failed).toEqual([
      { provider: 'prismeai', userId: 'ada', email: 'ada@example.com', ip: '10.0.0.1', correlationId: 'c1' },
    ])
  })
})
