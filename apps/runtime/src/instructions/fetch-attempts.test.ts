import { gzipSync } from 'node:zlib'
import { StoreError } from '@platform/kernel'
import { createThrottle } from '@platform/rate-limits'
import { describe, expect, test } from 'vitest'
import { type Answers, json, startOutside } from '../../test/outside.ts'
import { compiled, runMain, testEngine, testFetches } from '../../test/testing.ts'
import type { FetchSettings } from '../fetches/fetches-env.ts'

type Fields = Record<string, unknown>

/** Runs steps that know the address of a server outside as `url`. */
async function ran(
  answers: Answers,
  steps: (url: string) => Fields[],
  { settings = {}, timeLimitMs = 30_000 }: { settings?: Partial<FetchSettings>; timeLimitMs?: number } = {},
) {
  await using outside = await startOutside(answers)
  await using fetches = testFetches(settings)
  const workspace = compiled({ main: { do: steps(outside.url), output: '{{out}}' } })
  const startedAt = performance.now()
  const { output, failed, events } = await runMain(workspace, {}, { timeLimitMs }, testEngine({ fetches }))
  const ms = performance.now() - startedAt
  return { output, failed: failed?.failure, events, ms, got: outside.got, counted: outside.counted }
}

const fetch = (url: string, fields: Fields = {}): Fields => ({ fetch: { url, output: 'out', ...fields } })
const one =
  (fields: Fields = {}) =>
  (url: string): Fields[] => [fetch(url, fields)]
const error = (name: string, message: string) => ({
  error: { name, message: expect.stringContaining(message) },
})

/** Fails as `fail` does until the attempt with this number. */
const after =
  (count: number, fail: Answers): Answers =>
  (got, response, at) =>
    at < count ? fail(got, response, at) : response.end('fine')

describe('a failure that may pass', () => {
  test.each<[string, Answers]>([
    ['a connection that breaks off', (_, response) => response.destroy()],
    ['429', (_, response) => response.writeHead(429).end()],
    ['502', (_, response) => response.writeHead(502).end()],
    ['503', (_, response) => response.writeHead(503).end()],
  ])('is tried again, with the same body and key: %s', async (_, fail) => {
    const { output, got, events } = await ran(after(3, fail), one({ method: 'post', body: { a: 1 } }))
    expect(output).toBe('fine')
    expect(got.map(({ text }) => text)).toEqual(Array.from({ length: 3 }, () => '{"a":1}'))
    expect(new Set(got.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(events.map(({ type }) => type)).toEqual(['runtime.automations.executed'])
  })

  test('is tried three times more, then it is the answer', async () => {
    const { output, got, events } = await ran((_, response) => json(response, 'busy', 503), one())
    expect([output, got.length]).toEqual(['busy', 4])
    expect(events.filter(({ type }) => type === 'runtime.fetch.failed')).toHaveLength(1)
  })

  test('is waited for as long as the other side asks', async () => {
    const busy: Answers = (_, response) => response.writeHead(429, { 'retry-after': '1' }).end()
    const { output, ms } = await ran(after(2, busy), one())
    expect(output).toBe('fine')
    expect(ms).toBeGreaterThan(990)
  })

  test.each([
    ['more than a minute', '61', 30_000],
    ['more than the run has left', '20', 15_000],
  ])('is the answer at once when the other side asks for %s', async (_, seconds, timeLimitMs) => {
    const busy: Answers = (_got, response) => response.writeHead(503, { 'retry-after': seconds }).end('busy')
    const { output, got, ms } = await ran(busy, one(), { timeLimitMs })
    expect([output, got.length]).toEqual(['busy', 1])
    expect(ms).toBePrompt(5000)
  })

  test.each([400, 404, 500])('is not %i', async (status) => {
    const { got } = await ran((_, response) => response.writeHead(status).end(), one())
    expect(got).toHaveLength(1)
  })

  test('is what the operator says', async () => {
    const settings = { retryStatus: [500], maxRetries: 1, retryCodes: [] }
    const failing = await ran((_, response) => response.writeHead(500).end(), one(), { settings })
    const busy = await ran((_, response) => response.writeHead(503).end(), one(), { settings })
    const broken = await ran((_, response) => response.destroy(), one(), { settings })
    expect([failing.got.length, busy.got.length, broken.got.length]).toEqual([2, 1, 1])
  })
})

describe('keys', () => {
  test('are each fetch’s own, in loops, branches and calls', async () => {
    await using outside = await startOutside()
    const call = fetch(outside.url)
    const automations = {
      main: {
        do: [
          call,
          { all: [call, call] },
          { repeat: { until: 3, do: [call] } },
          { repeat: { until: 3, batch: { size: 3 }, do: [{ other: {} }] } },
        ],
      },
      other: { do: [call] },
    }
    const keys = async (order: object) => {
      outside.got.length = 0
      const { failed } = await runMain(compiled(automations), {}, order)
      expect(failed).toBeUndefined()
      return outside.got.map(({ headers }) => headers['idempotency-key']).toSorted()
    }
    const first = await keys({ repeatable: true })
    expect(new Set(first).size).toBe(9)
    expect(await keys({ repeatable: true })).toEqual(first)
    const other = await keys({ repeatable: true, runId: '01900000-0000-7000-8000-000000000001' })
    expect(new Set([...first, ...other]).size).toBe(18)
  })
})

test('nothing leaves a run whose effects can’t be committed', async () => {
  await using outside = await startOutside()
  const steps = [
    { emit: { event: 'before' } },
    { try: { do: [fetch(outside.url)], catch: [fetch(outside.url)] } },
  ]
  const commit = () => Promise.reject(new StoreError('The database is away.', { unavailable: true }))
  const { failed } = await runMain(compiled({ main: { do: steps } }), {}, { repeatable: true, commit })
  expect(failed?.cause).toBeInstanceOf(StoreError)
  expect(outside.counted.connections).toBe(0)
})

describe('redirects', () => {
  const hops = (url = ''): number => Number(url.slice(1))
  const chain: Answers = ({ url }, response) =>
    hops(url) === 0
      ? response.end('there')
      : response.writeHead(302, { location: `/${hops(url) - 1}` }).end('moved')

  test.each([
    [3, {}, 'there'],
    [4, {}, error('OutboundRefused', 'redirects more than 3 times.')],
    [10, { redirects: 10 }, 'there'],
    [3, { redirects: '{{two}}' }, error('OutboundRefused', 'redirects more than 2 times.')],
  ])('%i in a row with %j', async (count, fields, expected) => {
    const { output } = await ran(chain, (url) => [
      { set: { name: 'two', value: 2 } },
      fetch(`${url}/${count}`, fields),
    ])
    expect(output).toEqual(expected)
  })

  test('are the answer with 0', async () => {
    const { output, got } = await ran(chain, (url) => [
      fetch(`${url}/3`, { redirects: 0, outputMode: 'detailed_response' }),
    ])
    expect(output).toMatchObject({ status: 302, headers: { location: '/2' }, body: 'moved' })
    expect(got).toHaveLength(1)
  })

  test('to the inside are refused, and nothing is dialled', async () => {
    await using inside = await startOutside()
    const { output } = await ran(
      (_, response) => response.writeHead(307, { location: `http://127.0.0.9:${inside.port}/` }).end(),
      one(),
      { settings: { allowedHosts: ['127.0.0.1'] } },
    )
    expect(output).toEqual(error('OutboundRefused', '127.0.0.9 is not a public address'))
    expect(inside.counted.connections).toBe(0)
  })
})

describe('an answer', () => {
  const bytes = (count: number) => Buffer.alloc(count, 'x')

  test.each<[string, Answers]>([
    ['announced', (_, response) => response.end(bytes(11_000_000))],
    ['in pieces', (_, response) => response.write(bytes(6_000_000), () => response.end(bytes(5_000_000)))],
    [
      'packed, hundreds of times as large as sent',
      (_, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(bytes(30_000_000))),
    ],
  ])('of more than 10 MB is refused: %s', async (_, answers) => {
    const before = process.memoryUsage().rss
    const { output, got } = await ran(answers, one())
    expect(output).toEqual(error('OutboundRefused', 'answers more than the 10000000 bytes that are allowed.'))
    expect(got).toHaveLength(1)
    expect(process.memoryUsage().rss - before).toBeLessThan(250_000_000)
  })

  test('of 10 MB is given', async () => {
    const { output } = await ran((_, response) => response.end(bytes(9_990_000)), one())
    expect(String(output).length).toBe(9_990_000)
  })

  test.each<[string, Answers]>([
    ['never comes', () => undefined],
    ['has a beginning only', (_, response) => response.write('beginning')],
    [
      'never ends',
      (_, response) => {
        const timer = setInterval(() => response.write('.'), 20)
        response.on('close', () => clearInterval(timer))
      },
    ],
  ])('that %s ends at the timeout, and is not tried again', async (_, answers) => {
    const { output, ms, got } = await ran(answers, one({ timeout: '300ms' }))
    expect(output).toEqual(error('TimeoutError', 'did not answer in full within 0.3 s.'))
    expect(got).toHaveLength(1)
    expect(ms).toBePrompt(3000)
  })

  test('that does not come before the run is over ends with the run, and the connection is closed', async () => {
    let closed: () => void = () => undefined
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve
    })
    const { failed, ms } = await ran((_, response) => void response.on('close', closed), one(), {
      timeLimitMs: 300,
    })
    expect(failed?.name).toBe('WorkflowTimeoutError')
    expect(ms).toBePrompt(3000)
    await isClosed
  })
})

test('an entry of the hosts that is none is named', () => {
  expect(() => testFetches({ allowedHosts: ['http://api.internal'] })).toThrow(
    'FETCH_ALLOWED_HOSTS, FETCH_FORBIDDEN_HOSTS or NO_PROXY: "http://api.internal" is neither a host name',
  )
})

test('a host that is forbidden is not called, whatever is allowed', async () => {
  const { output, counted } = await ran(() => undefined, one(), {
    settings: { forbiddenHosts: ['127.0.0.1'] },
  })
  expect(output).toEqual(error('OutboundRefused', '127.0.0.1 is not a public address, or forbidden here'))
  expect(counted.connections).toBe(0)
})

describe('the limits of a workspace', () => {
  test('let no more than so many be under way, and the others wait', async () => {
    let underWay = 0
    let most = 0
    const { output } = await ran(
      (_, response) => {
        underWay += 1
        most = Math.max(most, underWay)
        setTimeout(() => {
          underWay -= 1
          response.end('fine')
        }, 30)
      },
      (url) => [{ repeat: { until: 20, batch: { size: 20 }, do: [fetch(url)] } }, fetch(url)],
      { settings: { concurrency: 4 } },
    )
    expect([output, most]).toEqual(['fine', 4])
  })

  test('hold back more than so many a second', async () => {
    await using outside = await startOutside()
    const rate = { perSecond: 1000, burst: 1000 }
    const others = { automations: rate, emits: rate, functions: rate, repeats: rate }
    const limits = { ...others, fetches: { perSecond: 50, burst: 5 } }
    const workspace = compiled({ main: { do: [{ repeat: { until: 15, do: [fetch(outside.url)] } }] } })
    const startedAt = performance.now()
    const { failed } = await runMain(workspace, {}, {}, testEngine({ throttle: createThrottle(limits) }))
    expect(failed).toBeUndefined()
    expect(performance.now() - startedAt).toBeGreaterThan(199)
  })
})
