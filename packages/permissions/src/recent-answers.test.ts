import { describe, expect, it, vi } from 'vitest'
import { recentAnswers } from './recent-answers.ts'

const movableClock = () => {
  let ms = 1_000_000
  return { now: () => new Date(ms), move: (byMs: number) => (ms += byMs) }
}

describe('recent answers', () => {
  it('ask once for callers that come at the same time', async () => {
    const answers = recentAnswers<number>(movableClock())
    const ask = vi.fn(async () => 7)
    expect(await Promise.all(Array.from({ length: 50 }, () => answers.get('key', ask)))).toEqual(
      Array(50).fill(7),
    )
    expect(ask).toHaveBeenCalledTimes(1)
  })

  it('are never older than a second', async () => {
    const clock = movableClock()
    const answers = recentAnswers<number>(clock)
    let value = 1
    expect(await answers.get('key', async () => value)).toBe(1)
    value = 2
    clock.move(1001)
    expect(await answers.get('key', async () => value)).toBe(2)
  })

  it('are renewed beside a request once they are half a second old', async () => {
    const clock = movableClock()
    const answers = recentAnswers<number>(clock)
    await answers.get('key', async () => 1)
    clock.move(600)
    expect(await answers.get('key', async () => 2)).toBe(1)
    await vi.waitFor(async () => expect(await answers.get('key', async () => 3)).toBe(2))
    clock.move(900)
    expect(await answers.get('key', async () => 4)).toBe(2)
  })

  it('do not keep a failure', async () => {
    const answers = recentAnswers<number>(movableClock())
    await expect(answers.get('key', async () => Promise.reject(new Error('down')))).rejects.toThrow('down')
    expect(await answers.get('key', async () => 5)).toBe(5)
  })

  it('do not keep that there is nothing, nor give it to who asks after it was asked', async () => {
    const answers = recentAnswers<number | undefined>(movableClock(), false)
    expect(await answers.get('key', async () => undefined)).toBeUndefined()
    expect(await answers.get('key', async () => 1)).toBe(1)
    const { promise, resolve } = Promise.withResolvers<number | undefined>()
    const before = answers.get('other', () => promise)
    const after = answers.get('other', async () => 2)
    resolve(undefined)
    expect([await before, await after]).toEqual([undefined, 2])
  })

  it('are asked for again after clear', async () => {
    const answers = recentAnswers<number>(movableClock())
    await answers.get('key', async () => 1)
    answers.clear()
    expect(await answers.get('key', async () => 2)).toBe(2)
  })

  it('do not let a renewal that began before clear bring an old answer back', async () => {
    const clock = movableClock()
    const answers = recentAnswers<number>(clock)
    await answers.get('key', async () => 1)
    clock.move(600)
    const { promise, resolve } = Promise.withResolvers<number>()
    await answers.get('key', () => promise)
    answers.clear()
    await answers.get('key', async () => 3)
    resolve(2)
    await promise
    expect(await answers.get('key', async () => 4)).toBe(3)
  })
})
