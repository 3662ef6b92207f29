import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { ShortLivedMap } from './short-lived-map.ts'

test('has what was set and not deleted, in the order it came', () => {
  const map = new ShortLivedMap<string, { name: string }>()
  for (const name of ['a', 'b', 'c']) map.set(name, { name })
  expect([map.get('b'), map.get('d'), map.size]).toEqual([{ name: 'b' }, undefined, 3])
  expect([map.delete('a'), map.delete('a')]).toEqual([true, false])
  map.set('b', { name: 'other' })
  expect([...map.keys()]).toEqual(['c', 'b'])
  expect([...map.values()]).toEqual([{ name: 'c' }, { name: 'other' }])
})

test('what is deleted while they are gone through is left out', () => {
  const map = new ShortLivedMap<number, { at: number }>()
  for (let at = 0; at < 10; at += 1) map.set(at, { at })
  const seen: number[] = []
  for (const { at } of map.values()) {
    seen.push(at)
    map.delete(at + 1)
  }
  expect(seen).toEqual([0, 2, 4, 6, 8])
})

const THINGS = 20_000
const AT_ONCE = 64
const THING_BYTES = 800

interface Churned {
  set(key: number, thing: object): unknown
  delete(key: number): unknown
}

/** Bytes by which old memory grows while things come and go in a map that is old itself. */
function grownBy(map: Churned): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void
  const churn = (from: number) => {
    for (let at = from; at < from + THINGS; at += 1) {
      map.set(at, new Array(THING_BYTES / 8).fill(at))
      map.delete(at - AT_ONCE)
      if (at % (2 * AT_ONCE) === 0) collect({ type: 'minor' })
    }
  }
  churn(0)
  collect()
  const before = oldBytes()
  churn(THINGS)
  return oldBytes() - before
}

const oldBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0

test('what is gone does not stay in old memory, as in a Map it does', () => {
  const byMap = grownBy(new Map())
  const byShortLived = grownBy(new ShortLivedMap())
  expect(byMap).toBeGreaterThan((THINGS * THING_BYTES) / 2)
  expect(byShortLived).toBeLessThan(byMap / 5)
})
