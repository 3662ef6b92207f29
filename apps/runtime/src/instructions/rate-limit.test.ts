import { openMemoryCache, type WindowUse } from '@platform/cache'
import { createLogger } from '@platform/logging'
import { slidingLimits } from '@platform/rate-limits'
import { describe, expect, test } from 'vitest'
import { compiled, runMain, testEngine } from '../../test/testing.ts'
import type { Segment } from '../automations/journal-entries.ts'

const limit = (more: object = {}) => ({
  rateLimit: { name: 'mails', window: 60, limit: 2, consumer: '{{consumer}}', output: 'mails', ...more },
})
const main = (more: object = {}) => ({
  main: {
    do: [limit(more), { set: { name: 'sent', value: true } }],
    output: { sent: '{{sent}}', mails: '{{mails}}' },
  },
})

async function outputs(automations: ReturnType<typeof main>, consumers: readonly unknown[]) {
  const engine = testEngine()
  const workspace = compiled(automations)
  const results = []
  for (const consumer of consumers) results.push((await runMain(workspace, { consumer }, {}, engine)).output)
  return results
}

describe('a limit', () => {
  test('ends the automation where it is reached, and its output is worked out', async () => {
    const [first, second, third] = await outputs(main(), ['a', 'a', 'a'])
    const standing = { limit: 2, window: 60, consumer: 'a' }
    expect(first).toEqual({ sent: true, mails: { ...standing, ok: true, remaining: 1, retryAfter: 0 } })
    expect(second).toEqual({ sent: true, mails: { ...standing, ok: true, remaining: 0, retryAfter: 0 } })
    expect(third).toEqual({
      sent: undefined,
      mails: { ...standing, ok: false, remaining: 0, retryAfter: 60 },
    })
  })

  test('is of each consumer by itself', async () => {
    const results = await outputs(main({ limit: 1 }), ['a', 'b', 'a', 7])
    expect(results.map((one) => (one as { sent?: boolean }).sent)).toEqual([true, true, undefined, true])
  })

  test('lets the automation go on where it says so', async () => {
    const results = await outputs(main({ limit: 1, break: false }), ['a', 'a'])
    expect(results).toMatchObject([{ mails: { ok: true } }, { sent: true, mails: { ok: false } }])
  })

  test('and where a text says so', async () => {
    const results = await outputs(main({ limit: 1, consumer: 'all', break: '{{consumer}}' }), [
      'false',
      'false',
    ])
    expect(results).toMatchObject([{ mails: { ok: true } }, { sent: true, mails: { ok: false } }])
  })

  test('takes as much as is consumed', async () => {
    const results = await outputs(main({ limit: 5, consume: '{{consumer}}', consumer: 'all' }), [3, 0, 3, 2])
    expect(results).toMatchObject([2, 2, 2, 0].map((remaining) => ({ mails: { remaining } })))
  })

  test.each([
    [{ consumer: '{{missing}}' }, 'rateLimit.consumer must be a text'],
    [{ window: '{{missing}}' }, 'rateLimit.window must be a number'],
    [{ limit: '{% 0 - 1 %}' }, 'rateLimit.limit must be a number'],
  ])('refuses %j', async (more, message) => {
    const { failed } = await runMain(compiled(main(more)), { consumer: 'a' })
    expect(failed?.failure).toMatchObject({
      name: 'InvalidInstructionError',
      message: expect.stringContaining(message),
    })
  })

  test('is not counted again by a run that goes on elsewhere', async () => {
    const uses: WindowUse[] = []
    const engine = testEngine({
      limits: {
        async take(_, use) {
          uses.push(use)
          return { isTaken: true, used: uses.length, waitMs: 0 }
        },
      },
    })
    const workspace = compiled({
      main: {
        do: [limit(), limit({ output: 'others' })],
        output: ['{{mails.remaining}}', '{{others.remaining}}'],
      },
    })
    const segments: Segment[] = []
    const commit = async ({ segment }: { segment?: Segment }) => {
      if (segment !== undefined) segments.push(segment)
    }
    const order = { repeatable: true, isUnknown: true, commit }
    expect((await runMain(workspace, { consumer: 'a' }, order, engine)).output).toEqual([1, 0])
    expect(uses).toHaveLength(2)
    // It was taken over after its first answer was committed, and before the second was.
    const begun = segments.filter(({ entries }) => !entries.includes('others')).slice(0, 2)
    const again = await runMain(workspace, { consumer: 'a' }, { ...order, segments: begun }, engine)
    expect(again.output).toEqual([1, 0])
    expect(uses).toHaveLength(3)
  })

  test('is counted by the process alone while the cache does not answer', async () => {
    const cache = openMemoryCache()
    let isAway = false
    const slide: typeof cache.slide = async (key, use) => {
      if (isAway) throw new Error('away')
      return await cache.slide(key, use)
    }
    const get: typeof cache.get = async (key) => {
      if (isAway) throw new Error('away')
      return await cache.get(key)
    }
    const log = createLogger({ level: 'silent' })
    const limits = slidingLimits({ cache: { ...cache, slide, get }, log, service: 'a test' })
    const use = { windowMs: 60_000, limit: 2, amount: 1 }
    expect(await limits.take('k', use)).toMatchObject({ isTaken: true, used: 1 })
    isAway = true
    expect(await limits.take('k', use)).toMatchObject({ isTaken: true, used: 1 })
    expect(await limits.take('k', use)).toMatchObject({ isTaken: true, used: 2 })
    expect(await limits.take('k', use)).toMatchObject({ isTaken: false })
  })
})
