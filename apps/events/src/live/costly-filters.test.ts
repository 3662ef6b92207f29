import { createSubscription, emitEvents, listSubscriptionDeliveries } from '@platform/contracts'
import { expectOthersServed, userPrincipal } from '@platform/testing'
import { describe, expect, vi } from 'vitest'
import { openStream } from '../../test/live-fixture.ts'
import { test } from '../../test/service-fixture.ts'
import { LOOKS_MAX } from '../event-log/filter-cost.ts'

/** Looked for at every place of a text of `a` alone, and found at none. */
const hard = (n: number) => `*${'a'.repeat(240)}b${n}*`
const texts = { a: 'a'.repeat(45_000), b: 'a'.repeat(45_000) }

const patterns = (from: number, count: number) => Array.from({ length: count }, (_, n) => hard(from + n))

describe('filters that are hard to decide', () => {
  test('keep nobody else waiting, in streams or in webhooks', { timeout: 240_000 }, async ({
    service,
    workspaceId,
  }) => {
    const ada = service.as({ userId: 'ada' })
    const subscribe = (n: number) =>
      ada(createSubscription, {
        params: { workspaceId },
        body: {
          url: 'http://10.0.0.1/',
          events: ['hard'],
          filter: { 'payload.a': patterns(6 * n, 3), 'payload.b': patterns(6 * n + 3, 3) },
        },
      })
    for (let n = 0; n < 15; n += 1) await subscribe(n)
    const everything = await ada(createSubscription, {
      params: { workspaceId },
      body: { url: 'http://10.0.0.1/', events: ['hard'], active: true },
    })
    const headers = service.headersOf(userPrincipal({ userId: 'ada' }))
    const queryOf = (n: number) => {
      const a = patterns(9 * n, 5)
      const b = patterns(9 * n + 5, 4)
      return `?payload.a=${a.join('&payload.a=')}&payload.b=${b.join('&payload.b=')}`
    }
    await using stack = new AsyncDisposableStack()
    for (let n = 0; n < 10; n += 1) {
      const stream = stack.use(await openStream(service.url, workspaceId, headers, queryOf(n)))
      expect(stream.status).toBe(200)
    }
    const listener = stack.use(await openStream(service.url, workspaceId, headers))

    let emitted = 0
    await expectOthersServed({
      probe: () => fetch(`${service.url}/sys/livez`).then((answer) => answer.text()),
      tries: 5,
      async attack() {
        const list = Array.from({ length: 10 }, () => ({ type: 'hard', payload: texts }))
        await ada(emitEvents, { params: { workspaceId }, body: { events: list } })
        emitted += list.length
        await vi.waitFor(() => expect(listener.messages.length).toBe(emitted), {
          timeout: 60_000,
          interval: 50,
        })
        await vi.waitFor(
          async () => {
            const params = { workspaceId, subscriptionId: everything.id }
            const deliveries = await ada(listSubscriptionDeliveries, {
              params,
              query: { limit: '100' as never },
            })
            expect(deliveries.length).toBe(Math.min(100, emitted))
          },
          { timeout: 60_000, interval: 100 },
        )
      },
    })
  })

  test('are refused with a sentence where they look for too much', async ({ service, workspaceId }) => {
    const headers = service.headersOf(userPrincipal({ userId: 'ada' }))
    const query = `?payload.a=${patterns(0, 30).join('&payload.a=')}`
    using stream = await openStream(service.url, workspaceId, headers, query)
    expect(stream.status).toBe(400)
    await vi.waitFor(() =>
      expect(stream.text()).toContain(
        `31 paths and wildcards that are looked for in every event: it may have ${LOOKS_MAX}.`,
      ),
    )
  })

  test('are refused where those of others take all there is, until some of them leave', async ({
    service,
    workspaceId,
  }) => {
    const headers = service.headersOf(userPrincipal({ userId: 'ada' }))
    const open = (n: number) =>
      openStream(service.url, workspaceId, headers, `?payload.a=${patterns(29 * n, 29).join('&payload.a=')}`)
    const first = await open(0)
    const others = await Promise.all(Array.from({ length: 2 }, (_, n) => open(n + 1)))
    const statuses = async () => {
      using same = await open(0)
      using other = await open(20)
      return [same.status, other.status]
    }
    expect(others.map(({ status }) => status)).toEqual(Array.from({ length: 2 }, () => 200))
    expect(await statuses()).toEqual([200, 429])
    first[Symbol.dispose]()
    await vi.waitFor(async () => {
      using other = await open(20)
      expect(other.status).toBe(200)
    })
    for (const other of others) other[Symbol.dispose]()
  })
})
