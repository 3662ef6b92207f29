import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Share, TimeSlices } from './time-slices.ts'

function spin(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** Works in steps until it is told to stop. */
class Workshop {
  readonly slices = new TimeSlices(2)
  readonly #workedMs = new Map<string, number>()
  readonly order: string[] = []
  #isOpen = true
  readonly #all: Promise<void>[] = []

  async step(share: Share, workspaceId: string, ms: number): Promise<void> {
    await share.turnIn(this.slices, performance.now())
    this.order.push(workspaceId)
    const startedAt = performance.now()
    spin(ms)
    this.#workedMs.set(workspaceId, this.workedMs(workspaceId) + performance.now() - startedAt)
  }

  /** How long its runs have worked; another process that has the core meanwhile counts as they do. */
  workedMs(workspaceId: string): number {
    return this.#workedMs.get(workspaceId) ?? 0
  }

  /** With one run that does not end, or with as many of one step each as there is time for. */
  keepBusy(
    workspaceId: string,
    { stepMs = 1, isAwaited = false, endsRuns = false, eventSize = 0 } = {},
  ): void {
    let share = new Share(workspaceId, isAwaited)
    const work = async () => {
      while (this.#isOpen) {
        await this.step(share, workspaceId, stepMs)
        if (eventSize > 0) share.counted({ size: eventSize })
        if (endsRuns) share = new Share(workspaceId, isAwaited)
      }
    }
    this.#all.push(work())
  }

  /** Short runs that somebody waits for, one after the other. */
  async askFor(ms: number): Promise<void> {
    const until = performance.now() + ms
    while (performance.now() < until) {
      await this.step(new Share('quiet', true), 'quiet', 0.1)
      await pause(5)
    }
  }

  async forTurns(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) await nextTurn()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOpen = false
    await Promise.all(this.#all)
  }
}

describe('the slices of time that workspaces share', () => {
  test('are as many for a workspace with one run as for one with twenty', async () => {
    await using shop = new Workshop()
    for (let run = 0; run < 20; run += 1) shop.keepBusy('many')
    shop.keepBusy('one')
    await shop.forTurns(100)
    const many = shop.workedMs('many')
    const one = shop.workedMs('one')
    expect(one / many).toBeGreaterThan(0.7)
    expect(one / many).toBeLessThan(1.4)
  })

  test('are as long in all for long steps as for short ones', async () => {
    await using shop = new Workshop()
    shop.keepBusy('long', { stepMs: 10 })
    shop.keepBusy('short', { stepMs: 1 })
    await shop.forTurns(100)
    const long = shop.workedMs('long')
    expect(shop.workedMs('short') / long).toBeGreaterThan(0.7)
  })

  test('come next for a run that somebody waits for, however many others work', async () => {
    await using shop = new Workshop()
    for (let one = 0; one < 50; one += 1) shop.keepBusy(`noisy ${one % 20}`)
    await shop.forTurns(50)
    const others: number[] = []
    for (let request = 0; request < 20; request += 1) {
      const share = new Share('quiet', true)
      for (let part = 0; part < 3; part += 1) {
        const before = shop.order.length
        await shop.step(share, 'quiet', 0.2)
        others.push(shop.order.length - before)
        await shop.forTurns(2)
      }
    }
    // What one slice of the others has room for; where another process has the core, that counts as work.
    expect(others.sort((a, b) => a - b)[30]).toBeLessThanOrEqual(7)
  })

  test('are shared with all who wait where one of those who wait works for long', async () => {
    await using shop = new Workshop()
    for (let one = 0; one < 3; one += 1) shop.keepBusy(`greedy ${one}`, { isAwaited: true })
    shop.keepBusy('background')
    while (shop.workedMs('greedy 0') < 150) await nextTurn()
    // Somebody worked as one that is waited for until a moment ago.
    await pause(150)
    const before = { greedy: shop.workedMs('greedy 0'), background: shop.workedMs('background') }
    await shop.forTurns(200)
    const greedy = shop.workedMs('greedy 0') - before.greedy
    const background = shop.workedMs('background') - before.background
    expect(background / greedy).toBeGreaterThan(0.6)
  })

  test('starve nobody: others work while requests come without an end', async () => {
    await using shop = new Workshop()
    shop.keepBusy('background')
    const until = performance.now() + 500
    while (performance.now() < until) {
      const share = new Share('busy', true)
      for (let step = 0; step < 5; step += 1) await shop.step(share, 'busy', 1)
      await nextTurn()
    }
    const busy = shop.workedMs('busy')
    expect(shop.workedMs('background') / busy).toBeGreaterThan(0.05)
  })

  test('leave time to others while somebody waits: heavy work rests, light work does not', async () => {
    const shareOf = async (work: 'heavy' | 'light') => {
      await using shop = new Workshop()
      shop.keepBusy('background', { endsRuns: work === 'light' })
      const startedAt = performance.now()
      await shop.askFor(400)
      return shop.workedMs('background') / (performance.now() - startedAt)
    }
    const heavy = await shareOf('heavy')
    expect(heavy).toBeLessThan(0.4)
    expect(heavy).toBeGreaterThan(0.05)
    expect(await shareOf('light')).toBeGreaterThan(0.5)
  })

  test('are used up by what work causes others as by the work', async () => {
    const stepsOf = async (eventSize: number) => {
      await using shop = new Workshop()
      shop.keepBusy('emitter', { stepMs: 0.1, eventSize })
      await shop.askFor(400)
      return shop.order.filter((workspaceId) => workspaceId === 'emitter').length
    }
    const none = await stepsOf(0)
    const large = await stepsOf(20_000)
    expect(large).toBeGreaterThan(10)
    expect(large).toBeLessThan(none / 4)
  })

  test('do not rest when nobody waits', async () => {
    await using shop = new Workshop()
    shop.keepBusy('background')
    const startedAt = performance.now()
    await pause(200)
    expect(shop.workedMs('background') / (performance.now() - startedAt)).toBeGreaterThan(0.6)
  })

  test('are not saved up: who has not worked for long is not ahead for long', async () => {
    await using shop = new Workshop()
    shop.keepBusy('always')
    await shop.forTurns(200)
    shop.keepBusy('late')
    const before = shop.workedMs('always')
    await shop.forTurns(40)
    expect(shop.workedMs('always') - before).toBeGreaterThan(40)
  })
})
