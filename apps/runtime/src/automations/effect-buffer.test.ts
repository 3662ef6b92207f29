import { describe, expect, test, vi } from 'vitest'
import { emittedEvent } from '../../test/testing.ts'
import type { StoredPatch } from '../contexts/context-store.ts'
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

test('a run that emits much waits until it is committed, before it has gathered more than a statement', async () => {
  const sizes: number[] = []
  const buffer = new EffectBuffer(
    async ({ events }) => void sizes.push(events.reduce((sum, { size }) => sum + size, 0)),
    () => [],
    () => undefined,
  )
  const text = 'x'.repeat(90_000)
  for (let count = 0; count < 50; count += 1) await buffer.add(emittedEvent('w', 'large', { text }))
  const left = await buffer.close()
  expect(sizes.length).toBeGreaterThanOrEqual(3)
  expect(Math.max(...sizes)).toBeLessThan(400_000)
  expect(sizes.reduce((sum, size) => sum + size, 0) + left.events.length * 90_000).toBeGreaterThan(4_500_000)
})

describe('a commit that is waited for', () => {
  /** Commits when told to; remembers the types of what it was given. */
  function bufferOf(patches: StoredPatch[] = []) {
    const commits: { types: string[]; patches: number; end: (error?: Error) => void }[] = []
    const buffer = new EffectBuffer(
      (effects) =>
        new Promise((resolve, reject) => {
          commits.push({
            types: effects.events.map(({ type }) => type),
            patches: effects.patches.length,
            end: (error) => (error === undefined ? resolve() : reject(error)),
          })
        }),
      () => patches.splice(0),
      () => undefined,
    )
    return { buffer, commits }
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  test('has everything that came before, also what came while another was under way', async () => {
    const { buffer, commits } = bufferOf()
    void buffer.add(emittedEvent('w', 'one'))
    const first = buffer.commit()
    void buffer.add(emittedEvent('w', 'two'))
    const [second, third] = [buffer.commit(), buffer.commit()]
    commits[0]?.end()
    await first
    await turn()
    commits[1]?.end()
    await Promise.all([second, third])
    expect(commits.map(({ types }) => types)).toEqual([['one'], ['two']])
  })

  test('has changed contexts, and asks nobody where nothing happened', async () => {
    const patch = {
      workspaceId: 'w',
      context: 'global',
      owner: '',
      content: {},
      removed: [],
      ttlSeconds: undefined,
    }
    const { buffer, commits } = bufferOf([patch as StoredPatch])
    const first = buffer.commit()
    commits[0]?.end()
    await first
    await buffer.commit()
    expect(commits).toMatchObject([{ types: [], patches: 1 }])
  })

  test('rejects when it fails, and the next one tries again', async () => {
    const { buffer, commits } = bufferOf()
    void buffer.add(emittedEvent('w', 'one'))
    const first = buffer.commit()
    commits[0]?.end(new Error('away'))
    await expect(first).rejects.toThrow('away')
    const second = buffer.commit()
    commits[1]?.end()
    await second
    expect(commits.map(({ types }) => types)).toEqual([['one'], ['one']])
  })
})
