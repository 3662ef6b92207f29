import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { longestTurn } from './longest-turn.ts'

const compute = (ms: number) => {
  const computed = () => {
    const { user, system } = process.threadCpuUsage()
    return user + system
  }
  const end = computed() + ms * 1000
  while (computed() < end);
}

test('the longest turn of this thread is found, also where it is the first or the last', async () => {
  const { result, longestMs } = await longestTurn(async () => {
    compute(100)
    return 'done'
  })
  expect(result).toBe('done')
  expect(longestMs).toBeGreaterThanOrEqual(100)
})

test('what waits, or computes and lets others in between, holds nobody up', async () => {
  const { longestMs } = await longestTurn(async () => {
    await sleep(300)
    for (let turn = 0; turn < 30; turn += 1) {
      compute(10)
      await setImmediate()
    }
  })
  expect(longestMs).toBeLessThan(100)
})
