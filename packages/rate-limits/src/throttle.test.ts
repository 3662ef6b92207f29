import { describe, expect, test } from 'vitest'
import { createThrottle, type Rate, type ThrottleLimits, throttled, toldLimits, waitOut } from './throttle.ts'

type Limits = ThrottleLimits<'emits'>

const ofAll: Limits = { emits: { perSecond: 10, burst: 2 } }
const rate = (perSecond: number, burst = 1): Limits => ({ emits: { perSecond, burst } })

/** What holds for one workspace, which may be changed. */
function changeable(first: Limits | undefined) {
  const state = { limits: first }
  return { state, throttle: createThrottle(ofAll, () => state.limits) }
}

const takeMany = (throttle: ReturnType<typeof createThrottle<'emits'>>, count: number, nowMs: number) =>
  Array.from({ length: count }, () => throttle.take('w', 'emits', 1, nowMs)).at(-1)

describe('a throttle', () => {
  test('holds each workspace to its own limits, and none where it has none', () => {
    const byWorkspace: Record<string, Limits | undefined> = { slow: rate(1), free: undefined }
    const throttle = createThrottle(ofAll, (id) => (Object.hasOwn(byWorkspace, id) ? byWorkspace[id] : ofAll))
    const waits = (id: string) => [1, 2, 3].map(() => throttle.take(id, 'emits', 1, 1000))
    expect(waits('slow')).toEqual([0, 1000, 2000])
    expect(waits('other')).toEqual([0, 0, 100])
    expect(waits('free')).toEqual([0, 0, 0])
    expect(throttle.rateOf('free', 'emits')).toBeUndefined()
  })

  test('keeps what is missing when a limit changes: it comes back at the new pace', () => {
    const { state, throttle } = changeable(rate(1))
    expect(takeMany(throttle, 101, 1000)).toBe(100_000)
    state.limits = rate(1000)
    expect(throttle.take('w', 'emits', 1, 1000)).toBeCloseTo(101, 5)
    state.limits = rate(10)
    expect(throttle.take('w', 'emits', 1, 1000)).toBeCloseTo(10_200, 5)
  })

  test('forgets nothing it gives back, whatever the limit was', () => {
    const { state, throttle } = changeable(rate(1))
    takeMany(throttle, 3, 1000)
    state.limits = rate(10)
    expect(throttle.take('w', 'emits', 1, 1000)).toBeCloseTo(300, 5)
    for (let given = 0; given < 4; given += 1) throttle.giveBack('w', 'emits', 1)
    expect(throttle.take('w', 'emits', 1, 1000)).toBe(0)
  })
})

describe('a wait', () => {
  const hour: Rate = { perSecond: 1 / 3600, burst: 1 }

  test.each([
    ['ends when nothing holds the workspace back any more', undefined],
    ['gets shorter with a higher limit', rate(1000)],
  ])('%s', async (_, next) => {
    const { state, throttle } = changeable({ emits: hour })
    throttle.take('w', 'emits', 1, performance.now())
    const waitMs = throttle.take('w', 'emits', 1, performance.now())
    expect(waitMs).toBeGreaterThan(3_500_000)
    const waiting = waitOut(throttle, { workspaceId: 'w', work: 'emits', waitMs })
    state.limits = next
    await waiting
  })

  test('gets longer with a lower limit, and ends where nobody wants the work any more', async () => {
    const { state, throttle } = changeable(rate(1))
    throttle.take('w', 'emits', 1, performance.now())
    const waitMs = throttle.take('w', 'emits', 1, performance.now())
    let looks = 0
    const isOver = () => {
      looks += 1
      return looks > 2
    }
    const waiting = waitOut(throttle, { workspaceId: 'w', work: 'emits', waitMs: waitMs + 500, isOver })
    state.limits = { emits: hour }
    await waiting
    expect(looks).toBe(3)
  })

  test('rejects with its signal, and then nothing was taken', async () => {
    const throttle = createThrottle(rate(0.1))
    await throttled(throttle, 'w', 'emits', AbortSignal.timeout(5000))
    await expect(throttled(throttle, 'w', 'emits', AbortSignal.timeout(10))).rejects.toThrow()
    expect(throttle.take('w', 'emits', 1, performance.now())).toBeLessThanOrEqual(10_000)
  })
})

test('what is told of a workspace holds until it is forgotten', () => {
  const { limitsOf, tell, forget } = toldLimits(ofAll)
  tell('w', rate(1))
  tell('free', undefined)
  expect(limitsOf('w')).toEqual(rate(1))
  expect(limitsOf('free')).toBeUndefined()
  forget('w')
  expect([limitsOf('w'), limitsOf('other')]).toEqual([ofAll, ofAll])
})
