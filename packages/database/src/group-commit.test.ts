import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { groupCommit } from './group-commit.ts'

describe('what is written together', () => {
  /** The transactions that items make which are added while the first one is on its way. */
  async function transactionsOf(items: readonly string[], options = {}): Promise<string[][]> {
    const written: string[][] = []
    const first = Promise.withResolvers<void>()
    const group = groupCommit<string>(
      async (batch) => {
        written.push(batch)
        if (written.length === 1) await first.promise
      },
      { maxInFlight: 1, ...options },
    )
    const added = [group.add('first')]
    await expect.poll(() => written.length).toBe(1)
    added.push(...items.map((item) => group.add(item)))
    first.resolve()
    await Promise.all(added)
    return written.slice(1)
  }

  test('is all that came meanwhile, as many as may be', async () => {
    expect(await transactionsOf(['a', 'b', 'c'], { maxItems: 2 })).toEqual([['a', 'b'], ['c']])
  })

  test('is no larger than a statement should be; what is larger is alone, and nothing is left out', async () => {
    const items = ['aaa', 'b', 'cc', 'ddddddd', 'e', 'f']
    const options = { sizeOf: (item: string) => item.length, maxSize: 4 }
    expect(await transactionsOf(items, options)).toEqual([['aaa', 'b'], ['cc'], ['ddddddd'], ['e', 'f']])
  })

  test('does not wait for a transaction that takes long, but for no more than one', async () => {
    const written: string[][] = []
    const ends: (() => void)[] = []
    const group = groupCommit<string>(async (batch) => {
      written.push(batch)
      await new Promise<void>((resolve) => ends.push(resolve))
    })
    const end = (index: number) => ends[index]?.()
    const added = [group.add('a')]
    await new Promise(setImmediate)
    added.push(group.add('b'), group.add('c'))
    await new Promise(setImmediate)
    expect(written).toEqual([['a']])
    await expect.poll(() => written.length).toBe(2)
    added.push(group.add('d'))
    await pause(150)
    expect(written).toEqual([['a'], ['b', 'c']])
    end(1)
    await expect.poll(() => written.length).toBe(3)
    end(0)
    end(2)
    await Promise.all(added)
    expect(written).toEqual([['a'], ['b', 'c'], ['d']])
  })
})
