import { describe, expect, test } from 'vitest'
import { pauseBeforeNextTry } from './next-try.ts'

const failure = { name: 'ObjectNotFoundError', status: 404 } as const
const latest = () => 1
const pauses = (backoff: Parameters<typeof pauseBeforeNextTry>[0], random = latest) =>
  Array.from({ length: 5 }, (_, tries) => pauseBeforeNextTry(backoff, failure, tries, random))

describe('the pause before the next try of a run', () => {
  test.each([
    ['nothing', undefined, [1000, 2000, 4000, 8000, undefined]],
    ['a duration', '500ms', [500, 1000, 2000, 4000, undefined]],
    ['seconds', 3, [3000, 6000, 12_000, 24_000, undefined]],
    ['a factor', { initial: '1s', factor: 10, max: '1m' }, [1000, 10_000, 60_000, 60_000, undefined]],
    ['pauses alike', { initial: '2s', factor: 1 }, [2000, 2000, 2000, 2000, undefined]],
    [
      'far too much',
      { initial: '9999999d', max: '9999999d', factor: 1 },
      [...Array(4).fill(2_592_000_000), undefined],
    ],
  ])('follows a backoff that says %s', (_, backoff, expected) => {
    expect(pauses({ attempts: 5, backoff })).toEqual(expected)
  })

  test('is shortened by chance, by half at most, unless it may not be', () => {
    const soonest = () => 0
    expect(pauses({ attempts: 3, backoff: '4s' }, soonest).slice(0, 2)).toEqual([2000, 4000])
    expect(pauses({ attempts: 3, backoff: { initial: '4s', jitter: false } }, soonest).slice(0, 2)).toEqual([
      4000, 8000,
    ])
  })

  test('is only there for the failures that are named', () => {
    const isTried = (on: (string | number)[], name: string, status: number) =>
      pauseBeforeNextTry({ attempts: 2, on }, { name: name as 'ForbiddenError', status }, 0) !== undefined
    expect(isTried(['any'], 'ObjectNotFoundError', 404)).toBe(true)
    expect(isTried(['4xx'], 'ObjectNotFoundError', 404)).toBe(true)
    expect(isTried(['5xx', 'timeout', 'network', 403], 'ObjectNotFoundError', 404)).toBe(false)
    expect(isTried([404], 'ObjectNotFoundError', 404)).toBe(true)
    expect(isTried(['ObjectNotFoundError'], 'ObjectNotFoundError', 404)).toBe(true)
    expect(isTried(['timeout'], 'WorkflowTimeoutError', 400)).toBe(true)
    expect(isTried(['network'], 'ServiceUnavailable', 503)).toBe(true)
    expect(isTried([], 'ObjectNotFoundError', 404)).toBe(false)
  })
})
