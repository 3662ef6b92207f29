import { openCache } from '@platform/cache'
import { systemClock } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { describe, expect, it } from 'vitest'
import { rateLimiter } from '../rate-limits/rate-limiter.ts'
import type { SignInFailed } from '../sign-in-log/sign-in-log.ts'
import type { UserRecord } from '../users/user.ts'
import { codeAttempts } from './code-attempts.ts'

const person = (id: string) => ({ id, email: `${id}@example.com` }) as UserRecord

async function attemptsAt(now: Date) {
  const failed: SignInFailed[] = []
  const cache = await openCache('memory:')
  const log = createLogger({ level: 'silent' })
  const attempts = codeAttempts({
    rateLimiter: rateLimiter({ cache, clock: { ...systemClock, now: () => now }, log, disabled: false }),
    signInLog: { codeFailed: async (attempt) => void failed.push(attempt) },
  })
  return { attempts, failed }
}

const START = new Date('2030-01-01T00:00:05Z')
const wrong = async () => undefined
const right = async () => 'right' as const

describe('T-PWD-1: attempts at second factors', () => {
  it('are five a minute for an account, from whatever address, and the sixth is not looked at', async () => {
    const { attempts, failed } = await attemptsAt(START)
    const results = []
    for (let count = 0; count < 6; count += 1)
      results.push(await attempts(person('ada'), { ip: `10.0.0.${count}` }, wrong))
    expect(results).toEqual([...Array(5).fill('wrong'), { tooManySeconds: 55 }])
    expect(await attempts(person('ada'), { ip: '10.0.1.1' }, right)).toEqual({ tooManySeconds: 55 })
    expect(await attempts(person('bob'), { ip: '10.0.1.1' }, right)).toBe('right')
    expect(failed).toHaveLength(5)
  })

  it('are sixty a minute from one address, for whoever has many passwords', async () => {
    const { attempts } = await attemptsAt(START)
    const one = (index: number) => attempts(person(`user${index}`), { ip: '10.0.0.1' }, wrong)
    const results = await Promise.all(Array.from({ length: 61 }, (_, index) => one(index)))
    expect(results.filter((result) => result === 'wrong')).toHaveLength(60)
    expect(results.filter((result) => typeof result === 'object')).toEqual([{ tooManySeconds: 55 }])
  })

  it('that fail are told with address and request, and nothing of the code', async () => {
    const { attempts, failed } = await attemptsAt(START)
    await attempts(person('ada'), { ip: '10.0.0.1', correlationId: 'c1' }, wrong)
    expect(failed).toEqual([
      { provider: 'prismeai', userId: 'ada', email: 'ada@example.com', ip: '10.0.0.1', correlationId: 'c1' },
    ])
  })
})
