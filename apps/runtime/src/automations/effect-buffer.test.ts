import { expect, test, vi } from 'vitest'
import { emittedEvent } from '../../test/testing.ts'
import { EffectBuffer, type Effects } from './effect-buffer.ts'

test('what could not be committed on the way is told once, and stays for the end', async () => {
  const commit = vi.fn<(effects: Effects) => Promise<void>>().mockRejectedValue(new Error('full'))
  const told: unknown[] = []
  const buffer = new EffectBuffer(
    commit,
    () => [],
    (error) => told.push(error),
  )
  for (let round = 1; round <= 3; round += 1) {
    void buffer.add(emittedEvent('w', `event.${round}`))
    await vi.waitFor(() => expect(commit).toHaveBeenCalledTimes(round), { timeout: 5000 })
  }
  const { events } = await buffer.close()
  expect(events.map(({ type }) => type)).toEqual(['event.1', 'event.2', 'event.3'])
  expect(told).toEqual([new Error('full')])
})
