import { longestTurn, rounds } from '@platform/testing'
import { describe, expect, it } from 'vitest'
import { CHEAP_HASH } from '../../../test/cheap-hash.ts'
import { timeDifference } from '../../../test/time-difference.ts'
import { requirePasswordLength, type UserRecord } from '../../users/user.ts'
import { boundedWork } from './bounded-work.ts'
import { type HashCost, hashPassword, isOutdated, matchesHash, RECOMMENDED_COST } from './password-hash.ts'
import { generatedPassword, passwords } from './passwords.ts'

const user: UserRecord = {
  id: 'ada',
  email: 'ada@example.com',
  firstName: undefined,
  lastName: undefined,
  language: undefined,
  status: 'validated',
  authData: {},
  platformRole: undefined,
  photo: undefined,
  meta: {},
  emailValidatedAt: undefined,
  signInsValidFrom: undefined,
  createdAt: new Date(),
  updatedAt: new Date(),
}
const weak = '$argon2id$v=19$m=8192,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$'

describe('password hashes', () => {
  it('are argon2id with at least 19 MiB and two passes, and never twice the same', async () => {
    const [one, two] = await Promise.all([
      hashPassword('correct horse', RECOMMENDED_COST),
      hashPassword('correct horse', RECOMMENDED_COST),
    ])
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(one).not.toBe(two)
    expect(await matchesHash('correct horse', one)).toBe(true)
    expect(await matchesHash('correct horsf', one)).toBe(false)
    expect(isOutdated(one, RECOMMENDED_COST)).toBe(false)
  })

  it('match however the same letters are encoded', async () => {
    expect(await matchesHash('cafe\u0301 au lait', await hashPassword('caf\u00e9 au lait', CHEAP_HASH))).toBe(
      true,
    )
  })

  it.each([
    '',
    'plain',
    '$2b$10$abcdefghijklmnopqrstuv',
    `${weak}x`,
    '$argon2id$v=19$m=99999999,t=2,p=1$YQ$YQ',
  ])('are nobody’s when they are %j', async (stored) => {
    expect(await matchesHash('anything', stored)).toBe(false)
    expect(isOutdated(stored, RECOMMENDED_COST)).toBe(true)
  })
})

describe('checking a password', () => {
  const accounts = async (password: string, cost: HashCost) => {
    const stored = await hashPassword(password, cost)
    return {
      findByEmail: async (email: string) =>
        email === user.email ? { user, passwordHash: stored } : undefined,
      rehash: async () => undefined,
    }
  }

  it('takes as long for nobody as for somebody', { timeout: rounds(60_000, 240_000) }, async () => {
    const checker = passwords(await accounts('correct horse', RECOMMENDED_COST), RECOMMENDED_COST)
    const refuse = async (email: string) =>
      expect(await checker.check(email, 'not the password')).toEqual({ outcome: 'wrong' })
    await refuse('warm@example.com')
    const somebody = () => refuse('ada@example.com')
    const nobody = () => refuse('nobody@example.com')
    const measure = { turns: rounds(15, 100), enough: 0.15 }
    expect(await timeDifference(measure, nobody, somebody)).toBeLessThan(0.15)
  })

  it.each(['pending', 'deactivated'] as const)(
    'tells that an account is %s only to whoever knows its password',
    async (status) => {
      const stored = await hashPassword('correct horse', CHEAP_HASH)
      const accountsOf = {
        findByEmail: async () => ({ user: { ...user, status }, passwordHash: stored }),
        rehash: async () => undefined,
      }
      const checker = passwords(accountsOf, CHEAP_HASH)
      expect(await checker.check('ada@example.com', 'wrong')).toEqual({ outcome: 'wrong' })
      const outcome = status === 'pending' ? 'unvalidated' : 'deactivated'
      expect(await checker.check('ada@example.com', 'correct horse')).toMatchObject({ outcome })
    },
  )

  it('replaces a hash that was made with another cost', async () => {
    const { argon2Sync } = await import('node:crypto')
    const salt = Buffer.from('somesaltsomesalt')
    const tag = argon2Sync('argon2id', {
      message: 'correct horse',
      nonce: salt,
      memory: 8192,
      passes: 1,
      parallelism: 1,
      tagLength: 32,
    })
    const stored = `${weak}${tag.toString('base64').replace(/=+$/, '')}`
    const rehashed: string[] = []
    const accountsOf = {
      findByEmail: async () => ({ user, passwordHash: stored }),
      rehash: async (_id: string, _before: string, after: string) => {
        rehashed.push(after)
      },
    }
    const checker = passwords(accountsOf, CHEAP_HASH)
    expect(await checker.check('ada@example.com', 'correct horse')).toMatchObject({ outcome: 'matches' })
    expect(rehashed).toHaveLength(1)
    expect(await matchesHash('correct horse', rehashed[0] ?? '')).toBe(true)
  })

  it('lets two hash at once, queues some and refuses the rest with 503, while the event loop stays free', async () => {
    const cost = { ...RECOMMENDED_COST, memory: 4096 }
    const checker = passwords(await accounts('correct horse', cost), cost)
    await checker.check('ada@example.com', 'warm up')
    const { result: answers, longestMs } = await longestTurn(() =>
      Promise.allSettled(Array.from({ length: 100 }, () => checker.check('ada@example.com', 'wrong'))),
    )
    const refused = answers.filter((answer) => answer.status === 'rejected')
    expect(refused).toHaveLength(38)
    expect(refused[0]?.reason).toMatchObject({ name: 'ServiceUnavailable', retryAfterSeconds: 3 })
    expect(longestMs).toBeLessThan(50)
    expect(await checker.check('ada@example.com', 'correct horse')).toMatchObject({ outcome: 'matches' })
  })
})

describe('bounded work', () => {
  it('gives its place back when the work fails', async () => {
    const bounded = boundedWork({ places: 1, queue: 0 })
    await expect(bounded(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await bounded(async () => 'yes')).toBe('yes')
  })
})

describe('new passwords', () => {
  it.each(['', '1234567', 'x'.repeat(129)])('are refused when they are %j', (password) => {
    expect(() => requirePasswordLength(password)).toThrow('8 to 128 characters')
  })

  it.each(['12345678', 'x'.repeat(128), '🔑'.repeat(8)])('are taken when they are %j', (password) => {
    expect(() => requirePasswordLength(password)).not.toThrow()
  })

  it('are long and never the same when generated', () => {
    const made = new Set(Array.from({ length: 200 }, generatedPassword))
    expect(made.size).toBe(200)
    for (const password of made) expect(password).toMatch(/^([a-zA-Z2-9]{5}-){3}[a-zA-Z2-9]{5}$/)
  })
})
