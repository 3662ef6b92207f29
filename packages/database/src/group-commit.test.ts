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
})
