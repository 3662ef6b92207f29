import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { expectOthersServed, longestWait } from './longest-wait.ts'

const probe = () => sleep(1)

async function hold(milliseconds: number): Promise<void> {
  await sleep(20)
  const until = performance.now() + milliseconds
  while (performance.now() < until);
}

it('sees how long a loop was held', async () => {
  expect(await longestWait(probe, () => hold(400))).toBeGreaterThan(350)
})

it('passes what lets others through', async () => {
  const { attacked, quiet } = await expectOthersServed({ probe, attack: () => sleep(100) })
  expect(attacked).toBeLessThanOrEqual(quiet + 250)
})

it('fails what holds others up each time it is tried', async () => {
  const holding = expectOthersServed({ probe, attack: () => hold(1_200), atMostMs: 100, tries: 2 })
  await expect(holding).rejects.toThrow(/Others waited up to \d+ ms during the attack/)
})

it('tells the failure of what is done', async () => {
  const failing = longestWait(probe, () => Promise.reject(new Error('refused')))
  await expect(failing).rejects.toThrow('refused')
})
