import { StoreBudget, storeBudget, withStoreBudget } from '@platform/kernel'
import { describe, expect, test, vi } from 'vitest'
import { soon } from './queued-mails.ts'

describe('work that is done soon', () => {
  test('is done once for all who ask while it waits, and once more for who asks while it is done', async () => {
    const first = Promise.withResolvers<void>()
    const work = vi.fn(() => (work.mock.calls.length === 1 ? first.promise : Promise.resolve()))
    await using delivery = soon(work, () => undefined)
    delivery.ask()
    delivery.ask()
    delivery.ask()
    expect(work).toHaveBeenCalledTimes(1)
    first.resolve()
    await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(2))
  })

  test('has ended when it is closed, and does not begin after that', async () => {
    const work = Promise.withResolvers<void>()
    const begun = vi.fn((_signal: AbortSignal) => work.promise)
    const delivery = soon(begun, () => undefined)
    delivery.ask()
    delivery.ask()
    let isClosed = false
    const closed = Promise.resolve(delivery[Symbol.asyncDispose]()).then(() => {
      isClosed = true
    })
    expect(begun.mock.calls[0]?.[0].aborted).toBe(true)
    await new Promise((resolve) => setImmediate(resolve))
    expect(isClosed).toBe(false)
    work.resolve()
    await closed
    delivery.ask()
    expect(begun).toHaveBeenCalledTimes(1)
  })

  test('may take longer than the request that asked for it', async () => {
    const budgets: unknown[] = []
    await using delivery = soon(
      async () => void budgets.push(storeBudget()),
      () => undefined,
    )
    withStoreBudget(new StoreBudget(1), () => delivery.ask())
    await vi.waitFor(() => expect(budgets).toEqual([undefined]))
  })

  test('that fails is told, and done again when somebody asks', async () => {
    const failed = vi.fn()
    await using delivery = soon(() => Promise.reject(new Error('no')), failed)
    delivery.ask()
    await vi.waitFor(() => expect(failed).toHaveBeenCalledTimes(1))
    delivery.ask()
    await vi.waitFor(() => expect(failed).toHaveBeenCalledTimes(2))
  })
})
