import { describe, expect, test } from 'vitest'
import { LOOK_MS, SilenceWatch, type Usage } from './silence.ts'

/** Looks for so long at a process that has stopped to beat; answers when it was given up. */
function givenUpAfter(usageAt: (ms: number) => Usage | undefined, lookEveryMs = LOOK_MS): number | undefined {
  let now = 10_000
  const watch = new SilenceWatch(250, () => usageAt(now - 10_000))
  watch.look(1, now)
  while (now < 20_000) {
    now += lookEveryMs
    if (watch.look(1, now)) return now - 10_000
  }
  return undefined
}

describe('a process that is silent', () => {
  test('and works is given up after 250 ms', () => {
    expect(givenUpAfter((ms) => ({ cpuMs: ms, isWaitingForCpu: true }))).toBe(250)
  })

  test('and stands still although it could work, after a second', () => {
    expect(givenUpAfter(() => ({ cpuMs: 70, isWaitingForCpu: false }))).toBe(1000)
  })

  test('and gets no time to work is not given up before it has had it', () => {
    expect(givenUpAfter(() => ({ cpuMs: 70, isWaitingForCpu: true }))).toBeUndefined()
    const twentieth = givenUpAfter((ms) => ({ cpuMs: ms / 20, isWaitingForCpu: true }))
    expect(twentieth).toBeGreaterThan(3000)
  })

  test('is not blamed by somebody who is late himself', () => {
    expect(givenUpAfter((ms) => ({ cpuMs: ms, isWaitingForCpu: true }), 200)).toBeUndefined()
  })

  test('counts by time alone where nothing can be seen of it', () => {
    expect(givenUpAfter(() => undefined)).toBe(1000)
  })
})

test('a process that beats is never given up', () => {
  const watch = new SilenceWatch(250, () => ({ cpuMs: 0, isWaitingForCpu: false }))
  for (let at = 0; at < 5000; at += LOOK_MS) expect(watch.look(Math.floor(at / 200), at)).toBe(false)
})
