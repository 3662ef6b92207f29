import { forkRun, replayRun } from '@platform/contracts'
import { sql } from '@platform/database'
import { insertEvents } from '@platform/outbox'
import { type PlatformProcess, spawnPlatform } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { endedRun } from '../../test/runs.ts'
import { emittedEvent, runtimeDatabaseUrl, startRuntime, type TestRuntime } from '../../test/testing.ts'
import { emit, parkedRuns, runRows, type Step, told, workspaceOf } from '../../test/waits.ts'

let databaseUrl: string
let one: TestRuntime
let two: TestRuntime

beforeAll(async () => {
  databaseUrl = await runtimeDatabaseUrl()
  one = await startRuntime({ databaseUrl })
  two = await startRuntime({ databaseUrl })
})
afterAll(async () => {
  await two[Symbol.asyncDispose]()
  await one[Symbol.asyncDispose]()
})

/** Behind the first wait: it, what told of it, and what told of its end have a number each. */
const FORKED_AT = 4
const numbers = [1, 2, 3, 4, 5]
const waitFor = (event: string, output: string, more: Step = {}): Step => ({
  wait: { oneOf: [{ event, ...more }], timeout: '60s', output },
})
const tell = (payload: Step): Step => ({ emit: { event: 'told', payload } })

async function emitAll(workspaceId: string, events: readonly (readonly [string, Step])[]): Promise<void> {
  const records = events.map(([type, payload]) => emittedEvent(workspaceId, type, payload))
  await one.database.many(insertEvents(records))
  one.database.notify('outbox')
}

const loop = (filters?: Step, ...more: Step[]): Step => ({
  repeat: {
    on: numbers,
    do: [waitFor('e', 'c', filters && { filters }), tell({ n: '{{c.payload.n}}' }), ...more],
  },
})
const inOrder = numbers.map((n) => ({ n }))
const tick = (n: number) => ['e', { n, k: 'k' }] as const

describe('each event of a burst ends one wait of a loop, in their order', () => {
  test.each([
    ['that come together', 'together'],
    ['that come one straight after another', 'apart'],
  ])('%s', async (_, how) => {
    const { id } = await workspaceOf(one, [loop({ 'payload.k': 'k' })])
    await emit(one, id, 'go')
    await parkedRuns(one, id)
    if (how === 'together') await emitAll(id, numbers.map(tick))
    else for (const n of numbers) await emitAll(id, [tick(n)])
    expect(await told(one, id, 'told', 5)).toEqual(inOrder)
  })

  test('that come while the run waits in its request', async () => {
    const { id } = await one.workspace({
      ask: { when: { endpoint: true }, do: [{ emit: { event: 'asked' } }, loop()], output: 'over' },
      answer: {
        when: { events: ['asked'] },
        do: [{ repeat: { on: numbers, do: [{ emit: { event: 'e', payload: { n: '{{item}}' } } }] } }],
      },
    })
    expect(await (await one.call(id, 'ask')).json()).toBe('over')
    expect(await told(one, id, 'told', 5)).toEqual(inOrder)
  })

  test('in transactions that end in another order than they began', async () => {
    const { id } = await workspaceOf(one, [loop()])
    await emit(one, id, 'go')
    await parkedRuns(one, id)
    await one.database.transaction(async (slow) => {
      await slow.many(insertEvents([emittedEvent(id, 'e', { n: 1 })]))
      await emitAll(id, numbers.slice(1).map(tick))
    })
    one.database.notify('outbox')
    expect(await told(one, id, 'told', 5)).toEqual(inOrder)
  })

  test('also when they are many more, and the one that counts is far behind', async () => {
    const { id } = await workspaceOf(one, [
      waitFor('e', 'first', { filters: { 'payload.n': 0 } }),
      waitFor('e', 'last', { filters: { 'payload.n': { $gte: 699 } } }),
      tell({ n: '{{last.payload.n}}' }),
    ])
    await emit(one, id, 'go')
    await parkedRuns(one, id)
    await emitAll(
      id,
      Array.from({ length: 701 }, (_, n) => tick(n)),
    )
    expect(await told(one, id, 'told')).toEqual([{ n: 699 }])
  })
})

describe('waits that follow one another', () => {
  test('each get their event, both emitted at once; one that came before the other does not count', async () => {
    const { id } = await workspaceOf(one, [
      waitFor('a', 'a'),
      { wait: { oneOf: [{ event: 'b' }], timeout: '8s', output: 'b' } },
      tell({ got: ['{{a.payload.n}}', '{{b.payload.n}}'] }),
    ])
    await emit(one, id, 'go')
    await parkedRuns(one, id)
    await emitAll(id, [
      ['b', { n: 1 }],
      ['a', { n: 2 }],
      ['b', { n: 3 }],
      ['b', { n: 4 }],
    ])
    expect(await told(one, id, 'told')).toEqual([{ got: [2, 3] }])
  })

  test('get of several events the first in the order of the log', async () => {
    const either = (output: string): Step => ({
      wait: { oneOf: [{ event: 'b' }, { event: 'a', cancelTriggers: true }], timeout: '8s', output },
    })
    const { id } = await workspaceOf(one, [
      either('x'),
      either('y'),
      either('z'),
      tell({ got: ['{{x.payload.n}}', '{{y.payload.n}}', '{{z.payload.n}}'] }),
    ])
    await emit(one, id, 'go')
    await parkedRuns(one, id)
    await emitAll(id, [
      ['b', { n: 1 }],
      ['a', { n: 2 }],
      ['b', { n: 3 }],
      ['a', { n: 4 }],
    ])
    expect(await told(one, id, 'told')).toEqual([{ got: [1, 2, 3] }])
  })

  test('in each branch of its own; what follows all of them is behind what they took', async () => {
    const [first, second] = [
      [waitFor('a', 'a1'), waitFor('a', 'a2')],
      [waitFor('b', 'b1'), waitFor('b', 'b2'), waitFor('a', 'b3')],
    ]
    const called = (steps: Step[]) => ({ do: steps })
    const { id } = await workspaceOf(
      one,
      [
        { all: [{ first: { output: 'f' } }, { second: { output: 's' } }] },
        waitFor('a', 'after'),
        tell({ got: '{{f}} {{s}} {{after.payload.n}}' }),
      ],
      {
        first: { ...called(first as Step[]), output: '{{a1.payload.n}}{{a2.payload.n}}' },
        second: { ...called(second as Step[]), output: '{{b1.payload.n}}{{b2.payload.n}}{{b3.payload.n}}' },
      },
    )
    await emit(one, id, 'go')
    await parkedRuns(one, id)
    await emitAll(id, [
      ['a', { n: 1 }],
      ['b', { n: 2 }],
      ['a', { n: 3 }],
      ['b', { n: 4 }],
      ['a', { n: 5 }],
      ['a', { n: 6 }],
    ])
    expect(await told(one, id, 'told')).toEqual([{ got: '13 245 6' }])
  })
})

describe('the first wait of a run that an event began', () => {
  test('gets what came straight behind that event, not what came before', async () => {
    const { id } = await workspaceOf(one, [waitFor('answer', 'c'), tell({ n: '{{c.payload.n}}' })])
    await emitAll(id, [
      ['answer', { n: 0 }],
      ['go', {}],
      ['answer', { n: 1 }],
      ['answer', { n: 2 }],
    ])
    expect(await told(one, id, 'told')).toEqual([{ n: 1 }])
  })

  test('the same where its event is read by another process than the one that emits', async () => {
    const { id } = await workspaceOf(two, [waitFor('answer', 'c'), tell({ n: '{{c.payload.n}}' })])
    for (let n = 0; n < 10; n += 1) {
      await emit(one, id, 'go')
      await emit(two, id, 'answer', { n })
      await told(one, id, 'told', n + 1)
    }
    expect(await told(one, id, 'told', 10)).toEqual(Array.from({ length: 10 }, (_, n) => ({ n })))
  })
})

describe('a run whose process is killed in the middle of a burst', () => {
  const env = { RUN_LEASE_SECONDS: '1' }
  const SOON = { timeout: 20_000 }
  const stack = new AsyncDisposableStack()
  let killed: PlatformProcess
  let looker: TestRuntime
  let id: string

  beforeAll(async () => {
    const alone = await startRuntime({ env })
    id = (await workspaceOf(alone, [loop(undefined, { wait: { timeout: '700ms' } })])).id
    await emit(alone, id, 'go')
    await parkedRuns(alone, id)
    killed = spawnPlatform('runtime', 'apps/runtime/src/main.ts', { ...alone.env, LOG_LEVEL: 'info' })
    stack.defer(async () => void (await killed.stop('SIGKILL')))
    await killed.printed(/service is ready/)
    await alone[Symbol.asyncDispose]()
    looker = stack.use(await startRuntime({ databaseUrl: alone.env.DATABASE_URL ?? '', env }))
    await looker.database.many(insertEvents(numbers.map((n) => emittedEvent(id, 'e', { n }))))
    looker.database.notify('outbox')
    await told(looker, id, 'told', 1)
    const count = async () => (await looker.events(id, 'told')).length
    const before = await count()
    expect(before).toBeLessThan(5)
    await killed.stop('SIGKILL')
    // Another process has it.
    await vi.waitFor(async () => expect(await count()).toBeGreaterThan(before), SOON)
  }, 60_000)
  afterAll(() => stack.disposeAsync())

  test('takes the rest of it where another process goes on', async () => {
    await vi.waitFor(async () => expect(await told(looker, id, 'told', 5)).toEqual(inOrder), SOON)
  }, 60_000)
})

const server = process.env.TEST_BROKER_URL
if (server === undefined) {
  if (process.env.REQUIRE_SERVERS === '1') throw new Error('TEST_BROKER_URL must name a NATS server.')
  console.warn('SKIPPED: bursts over NATS; set TEST_BROKER_URL=nats://user:password@host:port to test them.')
}

test.skipIf(server === undefined)('the same where events come over NATS', async () => {
  const stream = `bursts${process.pid}x${Date.now()}`
  const env = { BROKER_URL: `${server}?namespace=${stream}` }
  await using over = await startRuntime({ env })
  await using other = await startRuntime({ env, databaseUrl: over.env.DATABASE_URL ?? '' })
  const { id } = await workspaceOf(over, [loop()])
  const records = [['go', {}] as const, ...numbers.map(tick)].map(([type, payload]) =>
    emittedEvent(id, type, payload),
  )
  await other.database.many(insertEvents(records))
  other.database.notify('outbox')
  expect(await told(over, id, 'told', 5)).toEqual(inOrder)
})

describe('a run that is made from another', () => {
  const steps = [waitFor('a', 'a'), waitFor('b', 'b'), tell({ got: ['{{a.payload.n}}', '{{b.payload.n}}'] })]

  test('waits for what comes since then, not again for what came for the other', async () => {
    const { id } = await workspaceOf(one, steps)
    await emitAll(id, [
      ['go', {}],
      ['a', { n: 1 }],
      ['b', { n: 2 }],
    ])
    await told(one, id, 'told')
    const [first] = await runRows(one, id)
    await endedRun(one, id, first?.id ?? '')
    const params = { workspaceId: id, runId: first?.id ?? '' }
    await one.as({ userId: 'ada' })(replayRun, { params, body: {} })
    await parkedRuns(one, id)
    await emitAll(id, [
      ['a', { n: 3 }],
      ['b', { n: 4 }],
    ])
    expect(await told(one, id, 'told', 2)).toContainEqual({ got: [3, 4] })
    const woken = (await one.events(id)).filter(({ type }) => type === 'runtime.waits.fulfilled')
    expect(woken).toHaveLength(4)
    await one.as({ userId: 'ada' })(forkRun, { params, body: { at: FORKED_AT } })
    await parkedRuns(one, id)
    await emitAll(id, [
      ['b', { n: 5 }],
      ['b', { n: 6 }],
    ])
    expect(await told(one, id, 'told', 3)).toContainEqual({ got: [1, 5] })
  })
})

test('a wait that the version before has kept counts from a transaction on', async () => {
  const { id } = await workspaceOf(one, [waitFor('e', 'c'), tell({ n: '{{c.payload.n}}' })])
  await emit(one, id, 'go')
  await parkedRuns(one, id)
  await one.database.many(sql`
    update runtime.waits set after_xid = null, after_position = null, looked_back = false where workspace_id = ${id}`)
  await emitAll(id, [tick(1), tick(2)])
  expect(await told(one, id, 'told')).toEqual([{ n: 1 }])
})
