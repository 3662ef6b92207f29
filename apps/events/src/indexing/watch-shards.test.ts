import { expect, test } from 'vitest'
import { shardWarnings, watchShards } from './watch-shards.ts'

const warned = async (shards: number, max = 1000) => {
  const logged: unknown[] = []
  const index = { shardBudget: async () => ({ shards, max }) }
  await watchShards({ index, logger: { warn: (...line: unknown[]) => void logged.push(line) } }).run(
    new AbortController().signal,
  )
  return [logged.length, shardWarnings({ shards, max }).length]
}

test('the shards of a store are warned of from 80 % on', async () => {
  expect(await warned(799)).toEqual([0, 0])
  expect(await warned(800)).toEqual([1, 1])
  expect(await warned(2400, 3000)).toEqual([1, 1])
  expect(await warned(0, 0)).toEqual([0, 0])
  expect(shardWarnings({ shards: 800, max: 1000 })).toEqual([
    '800 of 1000 shards are in use: add a node or delete old streams before they run out.',
  ])
})
