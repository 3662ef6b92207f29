import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type CountedRequest, countRequest, exposeReadings, firstByteTimes, registry } from '../index.ts'

const service = () => `service-${randomUUID()}`

const request = (changes: Partial<CountedRequest>): CountedRequest => ({
  service: 'a-service',
  method: 'GET',
  route: '/v2/things/:id',
  status: 200,
  principal: 'jwt',
  apiVersion: 'v2',
  ms: 12,
  ...changes,
})

/** The lines of the page that have all of these texts. */
const lines = async (...texts: string[]): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => texts.every((text) => line.includes(text)))

describe('requests', () => {
  test('are counted by route, status, method, kind of caller and version', async () => {
    const name = service()
    countRequest(request({ service: name }))
    countRequest(request({ service: name }))
    countRequest(request({ service: name, status: 503, method: 'POST', principal: 'nobody', apiVersion: '' }))
    const route = `platform_http_requests_total{service="${name}",route="/v2/things/:id"`
    expect(await lines('requests_total', name)).toEqual([
      `${route},status="200",method="GET",principal="jwt",version="v2"} 2`,
      `${route},status="503",method="POST",principal="nobody",version=""} 1`,
    ])
  })

  test('fall into buckets by how long they took, 200 ms among them', async () => {
    const name = service()
    for (const ms of [0, 1, 150, 200, 201, 90_000]) countRequest(request({ service: name, ms }))
    const value = async (part: string) =>
      Number((await lines('duration_seconds', name, part))[0]?.split(' ').at(-1))
    expect(await value('le="0.001"')).toBe(2)
    expect(await value('le="0.2"')).toBe(4)
    expect(await value('le="60"')).toBe(5)
    expect(await value('le="+Inf"')).toBe(6)
    expect(await value('_count')).toBe(6)
    expect(await value('_sum')).toBeCloseTo(90.552)
  })

  test('add few numbers, whatever clients send: ten thousand routes, methods and versions', async () => {
    const name = service()
    for (let count = 0; count < 10_000; count += 1) {
      const text = randomUUID()
      countRequest(
        request({
          service: name,
          route: text,
          method: text,
          principal: text,
          apiVersion: text,
          status: 100 + (count % 900),
        }),
      )
    }
    const routes = new Set((await lines('duration_seconds_count', name)).map((line) => line))
    expect(routes.size).toBeLessThanOrEqual(401)
    const counted = await lines('requests_total', name)
    expect(counted.length).toBeLessThan(1500)
    const sum = counted.reduce((total, line) => total + Number(line.split(' ').at(-1)), 0)
    expect(sum).toBe(10_000)
  })

  test('of one kind cost next to nothing', () => {
    const one = request({ service: service() })
    const round = () => {
      const startedAt = performance.now()
      for (let count = 0; count < 200_000; count += 1) countRequest(one)
      return ((performance.now() - startedAt) / 200_000) * 1e6
    }
    const best = Math.min(round(), round(), round(), round())
    // Nanoseconds each; about 22 on a quiet machine, and never a look-up by labels, which takes a thousand.
    expect(best).toBeLessThan(600)
  })
})

describe('numbers that are read', () => {
  const definition = (name: `platform_${string}`) => ({ name, help: 'For a test.', type: 'gauge' }) as const

  test('are added up where several tell the same, and gone when disposed', async () => {
    const name = `platform_test_${randomUUID().replaceAll('-', '_')}` as const
    using _first = exposeReadings(definition(name), () => [{ labels: { a: 'x' }, value: 1 }])
    const second = exposeReadings(definition(name), async () => [
      { labels: { a: 'x' }, value: 2 },
      { labels: { a: 'y' }, value: 5 },
    ])
    expect(await lines(`${name}{`)).toEqual([`${name}{a="x"} 3`, `${name}{a="y"} 5`])
    second[Symbol.dispose]()
    expect(await lines(`${name}{`)).toEqual([`${name}{a="x"} 1`])
  })

  test('that fail or hang are missing, and everything else is there within two seconds', async () => {
    const name = `platform_test_${randomUUID().replaceAll('-', '_')}` as const
    using _hanging = exposeReadings(definition(name), () => new Promise(() => {}))
    using _failing = exposeReadings(definition(name), async () => {
      throw new Error('down')
    })
    using _thrown = exposeReadings(definition(name), () => {
      throw new Error('down')
    })
    using _well = exposeReadings(definition(name), () => [{ labels: {}, value: 7 }])
    const startedAt = performance.now()
    expect(await lines(name, ' 7')).toEqual([`${name} 7`])
    expect(performance.now() - startedAt).toBePrompt(2000)
  })

  test('of one source are no more than five hundred', async () => {
    const name = `platform_test_${randomUUID().replaceAll('-', '_')}` as const
    using _source = exposeReadings(definition(name), () =>
      Array.from({ length: 5000 }, (_, index) => ({ labels: { index }, value: index })),
    )
    expect(await lines(`${name}{`)).toHaveLength(500)
  })
})

test('the time until a service began its answer is told by service', async () => {
  const upstream = `upstream-${randomUUID()}`
  firstByteTimes(upstream).observe(0.003)
  expect(firstByteTimes(upstream)).toBe(firstByteTimes(upstream))
  expect(await lines('first_byte_seconds_count', upstream)).toEqual([
    `platform_upstream_first_byte_seconds_count{upstream="${upstream}"} 1`,
  ])
})
