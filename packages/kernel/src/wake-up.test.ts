import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { WakeUp } from './wake-up.ts'

/** Whether a wait is over within a moment. */
const isOver = (wait: Promise<void>): Promise<boolean> =>
  Promise.race([wait.then(() => true), sleep(20).then(() => false)])

describe('WakeUp', () => {
  it('ends a wait early', async () => {
    const wakeUp = new WakeUp()
    const waiting = wakeUp.wait(60_000)
    wakeUp.wake()
    expect(await isOver(waiting)).toBe(true)
  })

  it('remembers a wake while nobody waits, once', async () => {
    const wakeUp = new WakeUp()
    wakeUp.wake()
    wakeUp.wake()
    expect(await isOver(wakeUp.wait())).toBe(true)
    expect(await isOver(wakeUp.wait())).toBe(false)
  })

  it('waits no longer than it is told to', async () => {
    expect(await isOver(new WakeUp().wait(1))).toBe(true)
  })

  it('wakes several who wait, each of them once', async () => {
    const wakeUp = new WakeUp()
    const seen = wakeUp.count
    const waits = [wakeUp.waitSince(seen), wakeUp.waitSince(seen)]
    wakeUp.wake()
    expect(await Promise.all(waits.map(isOver))).toEqual([true, true])
    expect(await isOver(wakeUp.waitSince(seen))).toBe(true)
    expect(await isOver(wakeUp.waitSince(wakeUp.count))).toBe(false)
  })

  it('ends a wait when its signal aborts', async () => {
    const wakeUp = new WakeUp()
    const stopping = new AbortController()
    const waiting = wakeUp.waitSince(wakeUp.count, undefined, stopping.signal)
    stopping.abort()
    expect(await isOver(waiting)).toBe(true)
    expect(await isOver(wakeUp.waitSince(wakeUp.count, undefined, stopping.signal))).toBe(true)
  })
})
