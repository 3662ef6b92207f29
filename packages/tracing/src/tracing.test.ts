import { afterEach, describe, expect, test, vi } from 'vitest'
import { startReceiver } from '../test/testing.ts'
import { startTracing, type TracingSettings, tracer } from './index.ts'

const settings = (endpoint: string | undefined, changes: Partial<TracingSettings> = {}): TracingSettings => ({
  endpoint,
  serviceName: 'a-service',
  version: '1.2.3',
  sampler: 'parentbased_always_on',
  samplerArg: 1,
  warn: () => undefined,
  ...changes,
})

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const SPAN_ID = 'b7ad6b7169203331'
const CONTINUED = `00-${TRACE_ID}-${SPAN_ID}-01`

const stack: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of stack.splice(0).reverse()) await one[Symbol.asyncDispose]()
})
const used = <T extends AsyncDisposable>(one: T): T => {
  stack.push(one)
  return one
}

/** The tracer that is there now. */
function current() {
  if (tracer === undefined) throw new Error('Nothing is traced.')
  return tracer
}

describe('without an address', () => {
  test('nothing is traced, and the vendor is not even loaded', async () => {
    used(await startTracing(settings(undefined)))
    expect(tracer).toBeUndefined()
  })
})

describe('spans', () => {
  test('arrive with their process, names, attributes and parents', async () => {
    const receiver = used(await startReceiver())
    used(
      await startTracing(
        settings(receiver.url, {
          headers: 'authorization=Bearer%20a,x-team=b',
          resourceAttributes: 'deployment.environment.name=test%20bed',
        }),
      ),
    )
    const span = current().begin(
      { name: 'GET', kind: 'server', attributes: { 'http.request.method': 'GET' } },
      { traceId: TRACE_ID },
    )
    await current().finish(span, () =>
      current().around({ name: 'select', kind: 'client' }, async () => undefined),
    )
    await vi.waitFor(() => expect(receiver.spans).toHaveLength(2), { timeout: 10_000 })
    const [select, get] = receiver.spans
    expect(get).toMatchObject({
      name: 'GET',
      traceId: TRACE_ID,
      parentSpanId: undefined,
      attributes: { 'http.request.method': 'GET' },
      service: 'a-service',
    })
    expect(select).toMatchObject({ name: 'select', traceId: TRACE_ID, parentSpanId: get?.spanId })
    expect(receiver.requests[0]).toMatchObject({ authorization: 'Bearer a', 'x-team': 'b' })
  })

  test('go on with the trace of whoever asked, and with no other', async () => {
    used(await startTracing(settings(used(await startReceiver()).url)))
    const begun = (traceparent: string | undefined, traceId?: string) =>
      current().begin({ name: 'x', kind: 'server' }, { traceparent, traceId })
    expect(begun(CONTINUED).traceId).toBe(TRACE_ID)
    expect(begun(CONTINUED).traceparent).toMatch(new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-01$`))
    for (const broken of [
      '',
      'x',
      `00-${'0'.repeat(32)}-${SPAN_ID}-01`,
      `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
    ])
      expect(begun(broken).traceId).toMatch(/^(?!0af7)[0-9a-f]{32}$/)
    expect(begun(undefined, 'abcdef0123456789').traceId).toMatch(/^[0-9a-f]{32}$/)
    expect(begun(undefined, '0'.repeat(32)).traceId).not.toBe('0'.repeat(32))
  })

  test('outside of any work are not begun', async () => {
    used(await startTracing(settings(used(await startReceiver()).url)))
    expect(current().beginPart({ name: 'select', kind: 'client' })).toBeUndefined()
    expect(await current().around({ name: 'select', kind: 'client' }, async () => 7)).toBe(7)
  })

  test('of work that fails say with which error, never its words', async () => {
    const receiver = used(await startReceiver())
    used(await startTracing(settings(receiver.url)))
    const failing = current().finish(current().begin({ name: 'x', kind: 'server' }, {}), async () => {
      throw new TypeError('the secret is hunter2')
    })
    await expect(failing).rejects.toThrow('hunter2')
    await vi.waitFor(() => expect(receiver.spans).toHaveLength(1), { timeout: 10_000 })
    expect(receiver.spans[0]).toMatchObject({ status: 2, attributes: { 'error.type': 'TypeError' } })
    expect(JSON.stringify(receiver.spans)).not.toContain('hunter2')
  })

  test('are cut where an attribute is long', async () => {
    const receiver = used(await startReceiver())
    used(await startTracing(settings(receiver.url)))
    current()
      .begin({ name: 'x', kind: 'client', attributes: { text: 'y'.repeat(100_000) } }, {})
      .end()
    await vi.waitFor(() => expect(receiver.spans).toHaveLength(1), { timeout: 10_000 })
    expect(receiver.spans[0]?.attributes.text).toHaveLength(2000)
  })

  test.each([
    ['always_off', 1, 0],
    ['parentbased_traceidratio', 0, 0],
    ['traceidratio', 1, 20],
  ])('are chosen by %s %d', async (sampler, samplerArg, expected) => {
    const receiver = used(await startReceiver())
    const tracing = await startTracing(settings(receiver.url, { sampler, samplerArg }))
    for (let count = 0; count < 20; count += 1) current().begin({ name: 'x', kind: 'server' }, {}).end()
    await tracing[Symbol.asyncDispose]()
    expect(receiver.spans).toHaveLength(expected)
  })

  test('that wait leave with the end of the process', async () => {
    const receiver = used(await startReceiver())
    const tracing = await startTracing(settings(receiver.url))
    current().begin({ name: 'last', kind: 'server' }, {}).end()
    await tracing[Symbol.asyncDispose]()
    expect(receiver.spans.map(({ name }) => name)).toEqual(['last'])
    expect(tracer).toBeUndefined()
  })
})

describe('a receiver', () => {
  const flood = () => {
    const startedAt = performance.now()
    for (let count = 0; count < 20_000; count += 1) current().begin({ name: 'x', kind: 'server' }, {}).end()
    return (performance.now() - startedAt) / 20_000
  }

  test('that is down costs nobody anything but the spans, and is told of once', async () => {
    const gone = await startReceiver()
    await gone[Symbol.asyncDispose]()
    const warn = vi.fn()
    const tracing = await startTracing(settings(gone.url, { warn, sendMs: 500 }))
    expect(flood()).toBeLessThan(1)
    await vi.waitFor(() => expect(warn).toHaveBeenCalled(), { timeout: 15_000 })
    flood()
    const startedAt = performance.now()
    await tracing[Symbol.asyncDispose]()
    expect(performance.now() - startedAt).toBePrompt(4000)
    expect(warn).toHaveBeenCalledTimes(1)
  })

  test('that never answers holds at most its queue and not the end of the process', async () => {
    const silent = used(await startReceiver(() => undefined))
    const tracing = await startTracing(settings(silent.url))
    expect(flood()).toBeLessThan(1)
    await vi.waitFor(() => expect(silent.spans.length).toBeGreaterThan(0), { timeout: 10_000 })
    flood()
    const startedAt = performance.now()
    await tracing[Symbol.asyncDispose]()
    expect(performance.now() - startedAt).toBePrompt(4000)
    expect(silent.spans.length).toBeLessThanOrEqual(2048 + 512)
  })
})
