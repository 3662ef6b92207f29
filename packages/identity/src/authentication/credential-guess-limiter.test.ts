import { openMemoryCache } from '@platform/cache'
import { createLogger } from '@platform/logging'
import { rateLimiter } from '@platform/rate-limits'
import { describe, expect, test } from 'vitest'
import { CredentialGuessLimiter } from './credential-guess-limiter.ts'

const nothing = async () => undefined
const guessesWith = (disabled: boolean) =>
  new CredentialGuessLimiter({
    rateLimiter: rateLimiter({
      cache: openMemoryCache(),
      log: createLogger({ level: 'silent' }),
      service: 'test',
      settings: { disabled, points: new Map() },
    }),
  })

async function guess(guessLimiter: CredentialGuessLimiter, ip: string, times: number) {
  const outcomes = await Promise.allSettled(
    Array.from({ length: times }, () => guessLimiter.lookUp(ip, nothing)),
  )
  return outcomes.filter(({ status }) => status === 'rejected').length
}

describe('guessing', () => {
  test('is over after 60 wrong ones in a minute from one address, also at once', async () => {
    const guessLimiter = guessesWith(false)
    expect(await guess(guessLimiter, '192.0.2.1', 100)).toBe(40)
    await expect(guessLimiter.lookUp('192.0.2.1', nothing)).rejects.toMatchObject({
      status: 429,
      retryAfterSeconds: 60,
      message: 'Too many wrong credentials came from this address: try again in 60 seconds.',
    })
    expect(await guess(guessLimiter, '192.0.2.2', 60)).toBe(0)
  })

  test('is not what finds something, nor what can’t be looked up', async () => {
    const guessLimiter = guessesWith(false)
    for (let count = 0; count < 200; count += 1) {
      expect(await guessLimiter.lookUp('192.0.2.1', async () => 'found')).toBe('found')
      await expect(guessLimiter.lookUp('192.0.2.1', () => Promise.reject(new Error('down')))).rejects.toThrow(
        'down',
      )
    }
    expect(await guess(guessLimiter, '192.0.2.1', 60)).toBe(0)
  })

  test('counts an IPv6 network as one', async () => {
    const guessLimiter = guessesWith(false)
    expect(await guess(guessLimiter, '2001:db8:1:2::1', 30)).toBe(0)
    expect(await guess(guessLimiter, '2001:db8:1:2:ffff:1:2:3', 31)).toBe(1)
    expect(await guess(guessLimiter, '2001:db8::1', 60)).toBe(0)
  })

  test('is free where limits are off', async () => {
    expect(await guess(guessesWith(true), '192.0.2.1', 500)).toBe(0)
  })
})
