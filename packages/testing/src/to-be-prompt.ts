import { expect, vi } from 'vitest'
import { slownessNow } from './slowness.ts'

declare module 'vitest' {
  interface Assertion {
    /**
     * So many milliseconds have passed at most, where the machine has nothing else to do and is as fast as usual;
     * elsewhere as much longer as the machine takes for any work.
     */
    toBePrompt(limitMs: number): void
  }
}

expect.extend({
  toBePrompt(passedMs: unknown, limitMs: number) {
    if (typeof passedMs !== 'number')
      throw new TypeError('toBePrompt is asked about a number of milliseconds.')
    if (passedMs < limitMs)
      return { pass: true, message: () => `${passedMs} ms were less than ${limitMs} ms` }
    const slowness = slownessNow()
    const allowed = `${limitMs} are allowed, on this machine now ${slowness.toFixed(1)} times that`
    return {
      pass: passedMs < limitMs * slowness,
      message: () => `${Math.round(passedMs)} ms have passed; ${allowed}`,
    }
  },
})

/** Waits until the check passes; rejects where that took longer than so many milliseconds, as `toBePrompt` counts. */
export async function promptly<T>(limitMs: number, check: () => T | Promise<T>): Promise<T> {
  const startedAt = performance.now()
  const found = await vi.waitFor(check, { timeout: Math.max(limitMs, LEAST_MS), interval: 20 })
  expect(performance.now() - startedAt).toBePrompt(limitMs)
  return found
}

/** What is late all the same is told to be late, not to be missing. */
const LEAST_MS = 20_000
