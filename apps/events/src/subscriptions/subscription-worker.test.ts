import { StoreError } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { expect, it, vi } from 'vitest'
import type { SendingSubscription, WaitingDelivery } from './queue-store.ts'
import { SubscriptionWorker, type WorkerNeeds } from './subscription-worker.ts'

const queue = { subscriptionId: 's', token: 1 }
const delivery = (deliveryId: string): WaitingDelivery => ({
  deliveryId,
  event: '{}',
  tries: 0,
  begunAt: new Date(),
})

/** A queue that always has something to send, and says what was begun. */
function rig() {
  const begun: string[] = []
  const needs: WorkerNeeds = {
    queues: {
      nextBatch: async () => ({
        subscription: {} as SendingSubscription,
        atOnce: 1,
        news: 0,
        deliveries: [delivery(`d${begun.length}`)],
        isLast: false,
      }),
      release: async () => true,
    },
    deliver: async (_queue, _batch, { deliveryId }, _signal, sent) => {
      begun.push(deliveryId)
      await new Promise((resolve) => setTimeout(resolve, 5))
      sent()
      return true
    },
    now: () => new Date(),
    log: createLogger({ level: 'silent' }),
  }
  return { begun, needs }
}
const { signal } = new AbortController()

it('begins nothing once its lease is over by the time of the process, whatever the store says', async () => {
  const { begun, needs } = rig()
  await new SubscriptionWorker(queue, performance.now() - 1, needs).work(signal)
  expect(begun).toEqual([])
})

it('goes on for as long as somebody holds on to its lease', async () => {
  const { begun, needs } = rig()
  const worker = new SubscriptionWorker(queue, performance.now() + 100, needs)
  worker.extendLease(performance.now() + 600_000)
  const working = worker.work(signal)
  await vi.waitFor(() => expect(begun.length).toBeGreaterThan(30), { timeout: 10_000, interval: 10 })
  worker.extendLease(performance.now())
  await working
  const count = begun.length
  expect(new Set(begun).size).toBe(count)
})

it('waits while the store is away, and leaves the queue to others when its lease ends meanwhile', async () => {
  const { begun, needs } = rig()
  const { nextBatch } = needs.queues
  let isAway = true
  needs.queues.nextBatch = async (...asked) => {
    if (!isAway) return await nextBatch(...asked)
    isAway = false
    throw new StoreError('away', { unavailable: true })
  }
  await new SubscriptionWorker(queue, performance.now() + 500, needs).work(signal)
  expect(begun).toEqual([])
})
