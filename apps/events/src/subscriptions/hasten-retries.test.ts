import { getSubscriptionDelivery, listSubscriptionDeliveries } from '@platform/contracts'
import { HOUR_MS, MINUTE_MS } from '@platform/kernel'
import { startTestService } from '@platform/testing'
import { describe, expect, it, vi } from 'vitest'
import {
  emitOrders,
  LOCAL,
  movedClock,
  newWorkspace,
  numbersOf,
  pass,
  type Receiver,
  SOON,
  startReceiver,
  subscribed,
} from '../../test/subscription-fixture.ts'
import { events } from '../service.ts'

/** Tries until the pause to the next one is longer than a quarter of an hour. */
const TRIES = 6

type Respond = Receiver['respond']
const down: Respond = (_, response) => response.writeHead(503).end('down')
const well: Respond = (_, response) => response.end()

/** A subscription whose endpoint has failed for hours. */
async function outage(respond: Respond, numbers: readonly number[]) {
  await using stack = new AsyncDisposableStack()
  const clock = movedClock()
  const service = stack.use(await startTestService(events, { env: LOCAL, clock }))
  const receiver = stack.use(await startReceiver(respond))
  const workspaceId = await newWorkspace(service)
  const { id: subscriptionId } = await subscribed(service, workspaceId, receiver.url)
  const params = { workspaceId, subscriptionId }
  const ada = service.as({ userId: 'ada' })
  const list = () => ada(listSubscriptionDeliveries, { params })
  await emitOrders(service, workspaceId, ...numbers)
  let missed: Awaited<ReturnType<typeof list>> = []
  for (let tries = 1; tries <= TRIES; tries += 1) {
    missed = await vi.waitFor(async () => {
      const found = await list()
      expect(found).toHaveLength(numbers.length)
      for (const one of found) expect(one.tries).toBeGreaterThanOrEqual(tries)
      return found
    }, SOON)
    if (tries < TRIES) await pass(service, clock, HOUR_MS)
  }
  receiver.got.length = 0
  const triesOf = async (deliveryId: string) =>
    (await ada(getSubscriptionDelivery, { params: { ...params, deliveryId } })).tries
  const moved = stack.move()
  return {
    passes: (ms: number) => pass(service, clock, ms),
    receiver,
    missed,
    list,
    triesOf,
    emit: (number: number) => emitOrders(service, workspaceId, number),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

describe('an endpoint that is back', () => {
  it('gets what it missed with the first event that arrives, not hours later', async () => {
    await using rig = await outage(down, [1, 2, 3])
    rig.receiver.respond = well
    await rig.emit(4)
    await vi.waitFor(() => expect(numbersOf(rig.receiver).toSorted()).toEqual([1, 2, 3, 4]), SOON)
    await vi.waitFor(async () => {
      for (const one of await rig.list()) expect(one.status).toBe('delivered')
    }, SOON)
  })

  it('is left alone with what it asked to get later', async () => {
    await using rig = await outage(
      (_, response) => response.writeHead(429, { 'retry-after': '3000' }).end(),
      [1],
    )
    const [late] = rig.missed
    rig.receiver.respond = well
    await rig.emit(2)
    await vi.waitFor(async () => expect((await rig.list())[0]).toMatchObject({ status: 'delivered' }), SOON)
    expect(numbersOf(rig.receiver)).toEqual([2])
    expect(late).toMatchObject({ status: 'pending', tries: TRIES })
    await vi.waitFor(async () => expect((await rig.list())[1]).toEqual(late), SOON)
  })

  it('is asked only so often for one that never succeeds', async () => {
    const refusesFirst: Respond = (got, response) =>
      JSON.parse(got.text).data.payload.number === 1 ? down(got, response) : well(got, response)
    await using rig = await outage(refusesFirst, [1])
    const [first] = rig.missed
    const tries: number[] = []
    for (const number of [2, 3, 4, 5, 6]) {
      await rig.emit(number)
      await vi.waitFor(() => expect(numbersOf(rig.receiver)).toContain(number), SOON)
      tries.push(Math.min(TRIES + number - 1, TRIES + 3))
      await vi.waitFor(async () => expect(await rig.triesOf(first?.id ?? '')).toBe(tries.at(-1)), SOON)
      await rig.passes(2 * MINUTE_MS)
    }
  })
})
