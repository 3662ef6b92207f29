import { expect, test } from 'vitest'
import { SlotList } from './slot-list.ts'

test('places hold what was added and not removed, and are used again', () => {
  const places = new SlotList<{ name: string }>()
  const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]
  const first = places.add(a)
  places.add(b)
  expect([...places]).toEqual([a, b])
  places.remove(first)
  expect([...places]).toEqual([b])
  expect(places.add(c)).toBe(first)
  expect([...places]).toEqual([c, b])
})

test('after a rush there are as many places as what is left of it needs', () => {
  const places = new SlotList<{ at: number }>()
  const taken = Array.from({ length: 1000 }, (_, at) => places.add({ at }))
  for (const place of taken.filter((one) => one !== 2)) places.remove(place)
  expect([[...places], places.size]).toEqual([[{ at: 2 }], 3])
  const again = Array.from({ length: 5 }, (_, at) => places.add({ at: -at }))
  expect(new Set([2, ...again])).toEqual(new Set([0, 1, 2, 3, 4, 5]))
  expect([...places]).toHaveLength(6)
  for (const place of [2, ...again]) places.remove(place)
  expect([[...places], places.size]).toEqual([[], 0])
})

test('hold exactly what was added, in whatever order it comes and goes', () => {
  const places = new SlotList<{ at: number }>()
  const held = new Map<number, { at: number }>()
  let seed = 7
  for (let at = 0; at < 20_000; at += 1) {
    seed = (seed * 48_271) % 2_147_483_647
    const [first] = held.keys()
    if (first !== undefined && seed % 100 < (at % 2000 < 1000 ? 30 : 70)) {
      const place = seed % 2 === 0 ? first : [...held.keys()].at(-1)
      if (place === undefined) continue
      held.delete(place)
      places.remove(place)
    } else {
      const thing = { at }
      const place = places.add(thing)
      expect(held.has(place)).toBe(false)
      held.set(place, thing)
    }
  }
  expect(new Set(places)).toEqual(new Set(held.values()))
})
