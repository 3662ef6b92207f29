import { describe, expect, test } from 'vitest'
import { Guesses } from './guesses.ts'

const nothing = async () => undefined
const limited = () => new Guesses({ limited: true })

async function guess(guesses: Guesses, ip: string, times: number, now = 0) {
  const outcomes = await Promise.allSettled(
    Array.from({ length: times }, () => guesses.lookUp(ip, now, nothing)),
  )
  return outcomes.filter(({ status }) => status === 'rejected').length
}

describe('guessing', () => {
  test('is over after 60 wrong ones in a minute from one address, also at once', async () => {
    const guesses = limited()
    expect(await guess(guesses, '192.0.2.1', 100)).toBe(40)
    await expect(guesses.lookUp('192.0.2.1', 30_000, nothing)).rejects.toMatchObject({
      status: 429,
      retryAfterSeconds: 30,
    })
    expect(await guess(guesses, '192.0.2.2', 60)).toBe(0)
    expect(await guess(guesses, '192.0.2.1', 60, 60_000)).toBe(0)
  })

  test('is not what finds something, nor what can’t be looked up', async () => {
    const guesses = limited()
    for (let count = 0; count < 200; count += 1) {
      expect(await guesses.lookUp('192.0.2.1', 0, async () => 'found')).toBe('found')
      await expect(guesses.lookUp('192.0.2.1', 0, () => Promise.reject(new Error('down')))).rejects.toThrow(
        'down',
      )
    }
    expect(await guess(guesses, '192.0.2.1', 60)).toBe(0)
  })

  test('counts an IPv6 network as one', async () => {
    const guesses = limited()
    expect(await guess(guesses, '2001:db8:1:2::1', 30)).toBe(0)
    expect(await guess(guesses, '2001:db8:1:2:ffff:1:2:3', 31)).toBe(1)
    expect(await guess(guesses, '2001:db8::1', 60)).toBe(0)
  })

  test('is free where limits are off', async () => {
    expect(await guess(new Guesses({ limited: false }), '192.0.2.1', 500)).toBe(0)
  })
})
