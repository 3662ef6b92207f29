import { describe, expect, test } from 'vitest'
import type { LeasedRun } from './run.ts'
import { RunPlaces } from './run-places.ts'

/** So many runs of a workspace, at work or waiting. */
const runsOf = (workspaceId: string, { atWork = 0, waiting = 0 }): LeasedRun[] =>
  Array.from({ length: atWork + waiting }, (_, at) => ({
    claim: { id: `${workspaceId}-${at}`, attempt: 1 },
    workspaceId,
    active: { isWaiting: at >= atWork } as LeasedRun['active'],
  }))

const placesOf = (concurrency: number, used: () => number = () => 0.1) => {
  const places = new RunPlaces(concurrency, used)
  return {
    count: (...leased: LeasedRun[][]) => places.count(leased.flat()),
    /** True where a workspace that holds so many runs may have more. */
    hasMore: (waiting: number) => places.count(runsOf('a', { waiting })).greedy.length === 0,
    end(times: number) {
      for (let time = 0; time < times; time += 1) places.ended('a')
    },
  }
}

describe('places for triggered runs', () => {
  test('are half for one workspace, and the rest for the others', () => {
    const { count } = placesOf(8)
    expect(count()).toEqual({ free: 8, greedy: [] })
    expect(count(runsOf('a', { atWork: 3 }))).toEqual({ free: 5, greedy: [] })
    expect(count(runsOf('a', { atWork: 4 }))).toEqual({ free: 4, greedy: ['a'] })
    const [a, b] = [runsOf('a', { atWork: 5 }), runsOf('b', { atWork: 3 })]
    expect(count(a, b)).toEqual({ free: 0, greedy: ['a'] })
  })

  test.each([1, 2])('with %i, are enough for a workspace', (concurrency) => {
    const { count } = placesOf(concurrency)
    expect(count()).toEqual({ free: concurrency, greedy: [] })
    expect(count(runsOf('a', { atWork: 1 }))).toEqual({ free: concurrency - 1, greedy: ['a'] })
  })

  test('are left to others by what waits, at once', () => {
    expect(placesOf(8).count(runsOf('a', { waiting: 4 }))).toEqual({ free: 8, greedy: ['a'] })
  })

  test('are left to those of the same workspace for each run that has ended, up to half of what may be held', () => {
    const { hasMore, end } = placesOf(8)
    end(10)
    expect(hasMore(4)).toBe(false)
    end(3)
    expect([hasMore(6), hasMore(7)]).toEqual([true, false])
    end(100)
    expect([hasMore(31), hasMore(32)]).toEqual([true, false])
  })

  test('are as few as at first for the next burst of a workspace', () => {
    const { hasMore, end, count } = placesOf(8)
    hasMore(4)
    end(10)
    expect(hasMore(5)).toBe(true)
    count()
    expect(hasMore(4)).toBe(false)
  })

  test('are no more for one workspace when memory is used, and as few as at first when it is scarce', () => {
    let used = 0.1
    const { hasMore, end } = placesOf(8, () => used)
    hasMore(4)
    end(4)
    used = 0.5
    end(4)
    expect([hasMore(7), hasMore(8)]).toEqual([true, false])
    used = 0.7
    end(1)
    expect(hasMore(4)).toBe(false)
  })

  test('stay with the others when all that a workspace waits for comes at once', () => {
    const { count } = placesOf(8)
    const back = runsOf('a', { atWork: 30 })
    expect(count(back)).toEqual({ free: 4, greedy: ['a'] })
    expect(count(back, runsOf('b', { atWork: 4 }))).toEqual({ free: 0, greedy: ['a', 'b'] })
  })

  test('are never more than eight times as many as may be at work', () => {
    const many = Array.from({ length: 16 }, (_, at) => runsOf(`w${at}`, { waiting: 4 }))
    expect(placesOf(8).count(...many).free).toBe(0)
  })
})
