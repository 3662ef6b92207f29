import { describe, expect, test, vi } from 'vitest'
import { isExempt, Load } from './shed-load.ts'

const block = (ms: number) => {
  const until = performance.now() + ms
  while (performance.now() < until);
}

describe('the load is high', () => {
  test('while as many requests are in flight as there may be', () => {
    using load = new Load({ maxInFlight: 3, maxLagMs: 0 })
    load.inFlight.count = 2
    expect([load.isHigh, load.lags]).toEqual([false, false])
    load.inFlight.count = 3
    expect([load.isHigh, load.lags]).toEqual([true, false])
    load.inFlight.count = 2
    expect(load.isHigh).toBe(false)
  })

  test('from the second bad sample of the event loop to the first good one', () => {
    using load = new Load({ maxInFlight: 10, maxLagMs: 200 })
    const seen = [150, 250, 150, 201, 900, 300, 200, 250].map((lag) => {
      load.judge(lag)
      return load.isHigh
    })
    expect(seen).toEqual([false, false, false, false, true, true, false, false])
  })

  test('when the event loop really is blocked again and again, and not any more when it is free', async () => {
    using load = new Load({ maxInFlight: 10, maxLagMs: 200 })
    await vi.waitFor(
      () => {
        block(300)
        expect(load.lags).toBe(true)
      },
      { timeout: 10_000, interval: 1 },
    )
    await vi.waitFor(() => expect(load.isHigh).toBe(false), { timeout: 10_000 })
  })

  test('never because of the event loop where that is switched off', () => {
    using load = new Load({ maxInFlight: 10, maxLagMs: 0 })
    for (let count = 0; count < 5; count += 1) load.judge(10_000)
    expect(load.isHigh).toBe(false)
  })
})

test.each([
  ['GET', '/', true],
  ['GET', '/?x=1', true],
  ['GET', '/v2/readiness', true],
  ['GET', '/v2/readiness?services=runtime', true],
  ['GET', '/sys/livez', true],
  ['HEAD', '/sys/readyz', true],
  ['DELETE', '/v2/user/sessions/current', true],
  ['DELETE', '/v2/user/sessions', true],
  ['DELETE', '/v2/user/accessTokens/a1', true],
  ['DELETE', '/v2/workspaces/w1/security/apikeys/k1', true],
  ['DELETE', '/v2/platform/signing-keys/k1', true],
  ['DELETE', '/v2/workspaces/w1', false],
  ['DELETE', '/v2/workspaces/w1/webhooks/apikeys/k1', false],
  ['DELETE', '/v2/workspaces/sessionsx', false],
  ['GET', '/v2/user/sessions', false],
  ['POST', '/v2/user/accessTokens', false],
  ['POST', '/', false],
  ['GET', '/v2/workspaces', false],
  ['GET', '/v2/workspaces?path=/v2/readiness', false],
])('%s %s under any load: %s', (method, url, exempt) => {
  expect(isExempt({ method, url } as Parameters<typeof isExempt>[0])).toBe(exempt)
})
