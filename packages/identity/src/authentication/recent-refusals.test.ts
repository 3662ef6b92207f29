import { Failure } from '@platform/kernel'
import { describe, expect, test } from 'vitest'
import { RecentRefusals } from './recent-refusals.ts'

describe('a refusal', () => {
  test('is remembered for a moment, for this key only; a store that is down is not', async () => {
    const refusals = new RecentRefusals()
    let asked = 0
    const refuse = () => {
      asked += 1
      return Promise.reject(new Failure('AuthenticationError', 'over'))
    }
    for (let count = 0; count < 10; count += 1)
      await expect(refusals.unlessRefused('a', refuse)).rejects.toMatchObject({ status: 401 })
    expect(asked).toBe(1)
    expect(await refusals.unlessRefused('b', async () => 1)).toBe(1)
    await expect(refusals.unlessRefused('c', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
    expect(await refusals.unlessRefused('c', async () => 2)).toBe(2)
  })
})
