import { expect, test } from 'vitest'
import { FairPlaces } from './fair-places.ts'

const never = new AbortController().signal

/** Places in the order in which they are given; each taker is named. */
function takers(places: FairPlaces) {
  const given: string[] = []
  const giveBacks = new Map<string, () => void>()
  return {
    given,
    take(key: string, name: string, signal = never) {
      return places.take(key, signal).then((giveBack) => {
        given.push(name)
        giveBacks.set(name, giveBack)
      })
    },
    giveBack: (name: string) => giveBacks.get(name)?.(),
  }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a tenant has no more than its places, and the next in turn gets one that is given back', async () => {
  const places = new FairPlaces({ each: 2, all: 10 })
  const { given, take, giveBack } = takers(places)
  for (const name of ['1', '2', '3', '4']) void take('a', name)
  await settled()
  expect(given).toEqual(['1', '2'])
  expect(places.load).toEqual({ taken: 2, waiting: 2 })
  giveBack('1')
  giveBack('1')
  await settled()
  expect(given).toEqual(['1', '2', '3'])
})

test('where all places are held, the first that is given back is for who has the fewest', async () => {
  const { given, take, giveBack } = takers(new FairPlaces({ each: 5, all: 6 }))
  for (let n = 1; n <= 10; n += 1) void take('greedy', `g${n}`)
  for (let n = 1; n <= 10; n += 1) void take('other', `o${n}`)
  void take('newcomer', 'n1')
  await settled()
  expect(given).toEqual(['g1', 'g2', 'g3', 'g4', 'g5', 'o1'])
  giveBack('g1')
  await settled()
  expect(given.at(-1)).toBe('n1')
  giveBack('g2')
  await settled()
  expect(given.at(-1)).toBe('o2')
})

test('who stops waiting leaves no place behind', async () => {
  const { given, take, giveBack } = takers(new FairPlaces({ each: 1, all: 1 }))
  const stopping = new AbortController()
  void take('a', '1')
  const stopped = take('a', '2', stopping.signal)
  void take('a', '3')
  stopping.abort(new Error('over'))
  await expect(stopped).rejects.toThrow('over')
  await expect(take('a', '4', stopping.signal)).rejects.toThrow('over')
  giveBack('1')
  await settled()
  expect(given).toEqual(['1', '3'])
})
