import { expect, test } from 'vitest'
import { Places } from './places.ts'

test('places hold what was added and not removed, and are used again', () => {
  const places = new Places<{ name: string }>()
  const [a, b, c] = [{ name: 'a' }, { name: 'b' }, { name: 'c' }]
  const first = places.add(a)
  places.add(b)
  expect([...places]).toEqual([a, b])
  places.remove(first)
  expect([...places]).toEqual([b])
  expect(places.add(c)).toBe(first)
  expect([...places]).toEqual([c, b])
})
