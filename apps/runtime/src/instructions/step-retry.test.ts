import { describe, expect, test } from 'vitest'
import { type Answers, startOutside } from '../../test/outside.ts'
import { compiled, runMain, type TestAutomations, testEngine, testFetches } from '../../test/testing.ts'

type Fields = Record<string, unknown>

const AT_ONCE = { attempts: 3, backoff: 0 }

const status =
  (code: number, headers: Record<string, string> = {}): Answers =>
  (_, response) =>
    response.writeHead(code, headers).end('bad')
const until =
  (count: number, fail: Answers): Answers =>
  (got, response, at) =>
    at < count ? fail(got, response, at) : response.end('fine')

/** Sends one request whose step says `retry`. */
async function sent(answers: Answers, retry: Fields, fields: Fields = {}) {
  await using outside = await startOutside(answers)
  await using fetches = testFetches()
  const step = { fetch: { url: outside.url, output: 'out', ...fields }, retry }
  const workspace = compiled({ main: { do: [step], output: '{{out}}' } })
  const startedAt = performance.now()
  const { output, events } = await runMain(workspace, {}, { repeatable: true }, testEngine({ fetches }))
  return {
    output,
    ms: performance.now() - startedAt,
    types: events.map(({ type }) => type),
    keys: outside.got.map(({ headers }) => headers['idempotency-key']),
  }
}

describe('a fetch with retry', () => {
  test('is sent as often as that says and no more; the last answer stays, and is told of once', async () => {
    const { output, keys, types } = await sent(status(503), AT_ONCE)
    expect([output, keys.length]).toEqual(['bad', 3])
    expect(new Set(keys).size).toBe(1)
    expect(types).toEqual(['runtime.fetch.failed', 'runtime.automations.executed'])
    expect((await sent(status(503), { attempts: 1 })).keys).toHaveLength(1)
  })

  test('goes on with the first answer that is fine, and tells of nothing', async () => {
    const { output, types } = await sent(until(3, status(429)), AT_ONCE)
    expect(output).toBe('fine')
    expect(types).toEqual(['runtime.automations.executed'])
  })

  test.each<[string, Answers, unknown[] | undefined, number]>([
    ['502 where nothing is said', status(502), undefined, 3],
    ['500 where nothing is said', status(500), undefined, 1],
    ['500 for 5xx', status(500), ['5xx'], 3],
    ['a connection that breaks off', (_, response) => response.destroy(), undefined, 3],
    ['a connection that breaks off for 5xx', (_, response) => response.destroy(), ['5xx'], 1],
    ['404 for any', status(404), ['any'], 3],
    ['404 for 409', status(404), [409], 1],
  ])('is sent again for what `on` says: %s', async (_, answers, on, times) => {
    const { keys } = await sent(answers, { ...AT_ONCE, ...(on === undefined ? {} : { on }) })
    expect(keys).toHaveLength(times)
  })

  test('that was late is a timeout', async () => {
    const { keys } = await sent(() => undefined, { ...AT_ONCE, on: ['timeout'] }, { timeout: '400ms' })
    expect(keys).toHaveLength(3)
  })

  test('waits for as long as the other side asks, or as it says itself', async () => {
    expect((await sent(until(2, status(503, { 'retry-after': '1' })), AT_ONCE)).ms).toBeGreaterThan(990)
    const backoff = { initial: '200ms', factor: 2, jitter: false }
    expect((await sent(until(3, status(503)), { attempts: 3, backoff })).ms).toBeGreaterThan(590)
  })
})

const runs = (automations: TestAutomations) => runMain(compiled(automations), {}, { repeatable: true })
const count = { set: { name: 'n', value: '{% {{n}} + 1 %}' } }
const begin = { set: { name: 'n', value: 0 } }

describe('another step with retry', () => {
  test('is done again where it fails, and what it did stays done', async () => {
    const { output, events } = await runs({
      main: {
        do: [
          begin,
          {
            conditions: { '1': [count, { emit: { event: 'tried' } }, { flaky: { n: '{{n}}' } }] },
            retry: AT_ONCE,
          },
        ],
        output: '{{n}}',
      },
      flaky: { do: [{ conditions: { '{{n}} < 3': [{ missing: {} }] } }] },
    })
    expect(output).toBe(3)
    expect(events.filter(({ type }) => type === 'tried')).toHaveLength(3)
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length)
  })

  test('fails at last as it would without, in the same place', async () => {
    const { failed } = await runs({ main: { do: [{ missing: {}, retry: AT_ONCE }] } })
    expect(failed).toMatchObject({ instruction: 'do[0].missing', failure: { name: 'ObjectNotFoundError' } })
  })

  test('is not done again for another failure, nor for a break', async () => {
    const steps = (inner: Fields, retry: Fields) => [
      begin,
      { try: { do: [{ conditions: { '1': [count, inner] }, retry }], catch: [] } },
    ]
    const other = await runs({
      main: { do: steps({ missing: {} }, { ...AT_ONCE, on: ['5xx'] }), output: '{{n}}' },
    })
    const broke = await runs({ main: { do: steps({ break: {} }, AT_ONCE), output: '{{n}}' } })
    expect([other.output, broke.output]).toEqual([1, 1])
  })

  test('whose retry is none fails where it stands', async () => {
    const { failed } = await runs({ main: { do: [begin, { missing: {}, retry: { times: 3 } }] } })
    expect(failed).toMatchObject({
      instruction: 'do[1].missing',
      failure: { name: 'InvalidInstructionError' },
    })
    expect(failed?.failure.message).toContain('retry')
  })

  test('that pauses ends at once when the run is cancelled, and runs the finally around it', async () => {
    const workspace = compiled({
      main: {
        do: [
          {
            try: {
              do: [{ missing: {}, retry: { attempts: 2, backoff: '1h' } }],
              finally: [{ emit: { event: 'cleaned' } }],
            },
          },
        ],
      },
    })
    const automation = await workspace.compile('main')
    if (automation === undefined) throw new Error('There must be an automation "main".')
    const startedAt = performance.now()
    const { run, outcome } = testEngine().start({
      runId: '01900000-0000-7000-8000-000000000000',
      workspace,
      automation,
      payload: {},
      trigger: { type: 'event', value: 'go' },
      subject: {},
      correlationId: 'correlation',
      depth: 0,
      timeLimitMs: 60_000,
      repeatable: true,
      isAwaited: true,
      commit: async () => undefined,
    })
    setTimeout(() => run.cancel({ reason: '', requests: 1 }), 50)
    const { effects } = await outcome
    expect(performance.now() - startedAt).toBePrompt(5000)
    expect(effects.events.map(({ type }) => type)).toContain('cleaned')
  })
})
