import { describe, expect, test, vi } from 'vitest'
import { queueDueRuns, type WokenRuns } from './due-runs.ts'

const BATCH = 500

/** What the job asks and does while its looks find this, one after the other. */
async function looked(...found: WokenRuns[]) {
  const askedAt: number[] = []
  const deps = {
    runs: { queueDue: vi.fn(async () => 0) },
    wakeWorkers: vi.fn(),
    wakeForWoken: vi.fn(),
    wakeDue: async () => {
      askedAt.push(performance.now())
      return found.shift() ?? { count: 0, nextMs: null }
    },
  }
  await queueDueRuns(deps).run(new AbortController().signal)
  return { ...deps, askedAt }
}

describe('the look for runs whose time has come', () => {
  test('ends where no wait is over soon', async () => {
    const { askedAt, wakeForWoken, runs } = await looked({ count: 0, nextMs: null })
    expect(askedAt).toHaveLength(1)
    expect(runs.queueDue).toHaveBeenCalledOnce()
    expect(wakeForWoken).not.toHaveBeenCalled()
  })

  test('comes again when the next wait is over, and tells the workers', async () => {
    const { askedAt, wakeForWoken, runs } = await looked({ count: 0, nextMs: 90 }, { count: 1, nextMs: null })
    expect(askedAt).toHaveLength(2)
    expect((askedAt[1] ?? 0) - (askedAt[0] ?? 0)).toBeGreaterThan(85)
    expect(runs.queueDue).toHaveBeenCalledTimes(2)
    expect(wakeForWoken).toHaveBeenCalledOnce()
  })

  test('goes on at once while there are more than one statement takes', async () => {
    const { askedAt, wakeForWoken } = await looked({ count: BATCH, nextMs: 1 }, { count: 3, nextMs: null })
    expect(askedAt).toHaveLength(2)
    expect(wakeForWoken).toHaveBeenCalledTimes(2)
  })

  test('rests between waits that are over one after the other', async () => {
    const { askedAt } = await looked({ count: 1, nextMs: 0.1 }, { count: 1, nextMs: null })
    expect((askedAt[1] ?? 0) - (askedAt[0] ?? 0)).toBeGreaterThan(45)
  })

  test('ends when the service stops', async () => {
    const stopping = new AbortController()
    const wakeDue = vi.fn(async () => {
      stopping.abort()
      return { count: 0, nextMs: 100 }
    })
    const nothing = () => undefined
    const deps = { runs: { queueDue: async () => 0 }, wakeWorkers: nothing, wakeForWoken: nothing, wakeDue }
    await queueDueRuns(deps).run(stopping.signal)
    expect(wakeDue).toHaveBeenCalledOnce()
  })
})
