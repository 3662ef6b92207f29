import { cancelRun, getRun, listRuns } from '@platform/contracts'
import { sql } from '@platform/database'
import { insertEvents, wakeReaders } from '@platform/outbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startGate } from '../../test/gate.ts'
import { startOutside } from '../../test/outside.ts'
import { endedRun } from '../../test/runs.ts'
import { emittedEvent, runtimeDatabaseUrl, startRuntime, type TestRuntime } from '../../test/testing.ts'
import { emit, parkedRuns, runRows, type Step, told, workspaceOf } from '../../test/waits.ts'
import { wakeDue } from './parked-run-store.ts'

let one: TestRuntime
let two: TestRuntime

beforeAll(async () => {
  const databaseUrl = await runtimeDatabaseUrl()
  one = await startRuntime({ databaseUrl, env })
  two = await startRuntime({ databaseUrl, env })
})
afterAll(async () => {
  await two[Symbol.asyncDispose]()
  await one[Symbol.asyncDispose]()
})

const env = { FETCH_ALLOWED_HOSTS: '127.0.0.0/8' }
const patiently = { timeout: 10_000, interval: 20 }

const waitFor = (event: string, more: Step = {}, alternative: Step = {}): Step => ({
  wait: { oneOf: [{ event, ...alternative }], timeout: 30, output: 'event', ...more },
})
const tell = (payload: Step): Step => ({ emit: { event: 'told', payload } })
const count: Step = { set: { name: 'global.count', value: '{% {{global.count}} + 1 %}' } }

describe('a run that waits', () => {
  test('is given up, does nothing twice, and goes on with its event', async () => {
    const { id } = await workspaceOf(one, [
      { set: { name: 'global.count', value: 0 } },
      count,
      { set: { name: 'number', value: '{% rand(1, 1000000) %}' } },
      { emit: { event: 'before', payload: { number: '{{number}}' } } },
      waitFor(
        'order.paid',
        {},
        { filters: { 'payload.order': '{{payload.order}}', 'source.userId': 'ada' } },
      ),
      count,
      tell({
        type: '{{event.type}}',
        by: '{{event.payload.by}}',
        count: '{{global.count}}',
        number: '{{number}}',
      }),
    ])
    await emit(one, id, 'go', { order: 42 })
    const [parked] = await parkedRuns(one, id)
    await emit(one, id, 'order.paid', { order: 41, by: 'another' })
    await emit(one, id, 'order.refunded', { order: 42, by: 'nobody' })
    await emit(one, id, 'order.paid', { order: 42, by: 'eve' })
    const [before] = (await told(one, id, 'before')) as { number: number }[]
    expect(await told(one, id, 'told')).toEqual([
      { type: 'order.paid', by: 'eve', count: 2, number: before?.number },
    ])
    const run = await endedRun(one, id, parked?.id ?? '')
    expect(run.status).toBe('succeeded')
    expect(await one.events(id, 'before')).toHaveLength(1)
    expect(await one.database.many(sql`select 1 from runtime.waits where workspace_id = ${id}`)).toEqual([])
  })

  test('goes on with an event of the platform that nothing else is to be done for', async () => {
    const type = 'runtime.automations.executed'
    const { id } = await workspaceOf(one, [
      waitFor(type, {}, { filters: { 'payload.slug': 'other' } }),
      tell({ got: '{{event.payload}}' }),
    ])
    await emit(one, id, 'go')
    await parkedRuns(one, id)
    await emit(one, id, type, { slug: 'main', duration: 1 })
    await emit(one, id, type, { slug: 'other', duration: 2 })
    expect(await told(one, id, 'told')).toEqual([{ got: { slug: 'other', duration: 2 } }])
  })

  test('says so, with what it waits for and until when', async () => {
    const { id } = await workspaceOf(one, [
      { wait: { oneOf: [{ event: 'a' }, { event: 'b' }], timeout: '2d' } },
    ])
    await emit(one, id, 'go')
    const [parked] = await parkedRuns(one, id)
    const runId = parked?.id ?? ''
    const run = await one.as({})(getRun, { params: { workspaceId: id, runId } })
    expect(run).toMatchObject({ status: 'waiting', waitsFor: { kind: 'event', events: ['a', 'b'] } })
    expect(Date.parse(run.waitsFor?.until ?? '') - Date.now()).toBeGreaterThan(1.99 * 86_400_000)
    const listed = async (status: string) =>
      (await one.as({})(listRuns, { params: { workspaceId: id }, query: { status } as never })).runs.map(
        (found) => found.id,
      )
    expect(await listed('waiting')).toEqual([runId])
    expect(await listed('queued,running')).toEqual([])
    const events = await one.events(id)
    expect(events.find(({ type }) => type === 'runtime.waits.pending')).toMatchObject({
      options: { persist: false },
      payload: { wait: { oneOf: [{ event: 'a' }, { event: 'b' }], timeout: 172_800 } },
    })
    await emit(one, id, 'b')
    await endedRun(one, id, runId)
    expect((await one.events(id, 'runtime.waits.fulfilled'))[0]?.payload).toMatchObject({
      event: { type: 'b' },
    })
  })

  test('goes on without an event when its time is over, after 5 ms as after seconds', async () => {
    const { id } = await workspaceOf(one, [
      { wait: { oneOf: [{ event: 'never' }], timeout: '5ms', output: 'first' } },
      { wait: { timeout: '20ms', output: 'second' } },
      { wait: { oneOf: [{ event: 'never' }], timeout: 1.2, output: 'third' } },
      { wait: { timeout: '1.1s' } },
      tell({ got: ['{{first}}', '{{second}}', '{{third}}'] }),
    ])
    const startedAt = performance.now()
    await emit(one, id, 'go')
    expect(await told(one, id, 'told')).toEqual([{ got: [null, null, null] }])
    expect(performance.now() - startedAt).toBeGreaterThan(2300)
    expect(await one.database.many(sql`select 1 from runtime.waits where workspace_id = ${id}`)).toEqual([])
  })

  test('is seen before its time is over by whoever looks ahead so far', async () => {
    const { id } = await workspaceOf(one, [{ wait: { timeout: '9s' } }])
    await emit(one, id, 'go')
    await parkedRuns(one, id)
    const { nextMs } = await wakeDue(one.database, 1, 9000)
    expect(nextMs).toBeGreaterThan(0)
    expect(nextMs).toBeLessThan(9000)
    expect(await wakeDue(one.database, 1, 0)).toMatchObject({ nextMs: null })
  })

  test.each([
    ['keeps its place through less than a second', '64', 1],
    ['gives it up where others may want it', '2', 2],
  ])('%s (RUN_CONCURRENCY=%s)', async (_, concurrency, attempts) => {
    await using few = await startRuntime({
      databaseUrl: await runtimeDatabaseUrl(),
      env: { RUN_CONCURRENCY: concurrency },
    })
    const { id } = await workspaceOf(few, [{ wait: { timeout: '800ms' } }, tell({ n: '{{payload.n}}' })])
    for (const n of [1, 2, 3, 4, 5, 6]) await emit(few, id, 'go', { n })
    const heard = (await told(few, id, 'told', 6)) as { n: number }[]
    expect(heard.map(({ n }) => n).sort()).toEqual([1, 2, 3, 4, 5, 6])
    expect((await runRows(few, id)).map(({ attempt }) => attempt)).toEqual(Array(6).fill(attempts))
  })

  test('is given up as well where a step pauses before it is tried again', async () => {
    const statuses = [503, 200]
    await using outside = await startOutside((_, response) => {
      response.writeHead(statuses.shift() ?? 500).end()
    })
    const { id } = await workspaceOf(one, [
      { set: { name: 'global.count', value: 0 } },
      count,
      {
        fetch: { url: outside.url, output: 'out', outputMode: 'detailed_response' },
        retry: { attempts: 2, backoff: { initial: '1.5s', jitter: false }, on: ['5xx'] },
      },
      count,
      tell({ status: '{{out.status}}', count: '{{global.count}}' }),
    ])
    await emit(one, id, 'go')
    const [parked] = await parkedRuns(one, id)
    expect(parked?.waitsFor).toBe('time')
    expect(await told(one, id, 'told')).toEqual([{ status: 200, count: 2 }])
  })

  test('finds the answer to what it emitted before it waited, however fast it came', async () => {
    const { id } = await workspaceOf(
      one,
      [
        { emit: { event: 'asked' } },
        { wait: { timeout: '200ms' } },
        waitFor('answered'),
        tell({ n: '{{event.payload.n}}' }),
      ],
      { answer: { when: { events: ['asked'] }, do: [{ emit: { event: 'answered', payload: { n: 1 } } }] } },
    )
    await emit(one, id, 'go')
    expect(await told(one, id, 'told')).toEqual([{ n: 1 }])
  })

  test('takes each event once: the next wait is for the next one', async () => {
    const { id } = await workspaceOf(one, [
      { repeat: { until: 3, do: [waitFor('tick'), tell({ n: '{{event.payload.n}}' })] } },
    ])
    await emit(one, id, 'go')
    for (let n = 1; n <= 3; n += 1) {
      await parkedRuns(one, id)
      await emit(one, id, 'tick', { n })
      await told(one, id, 'told', n)
    }
    expect(await told(one, id, 'told', 3)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  test('sees what others have set in contexts meanwhile', async () => {
    const { id } = await workspaceOf(
      one,
      [
        { set: { name: 'global.mine', value: 1 } },
        { set: { name: 'seen', value: '{{global.price}}' } },
        waitFor('priced'),
        tell({ before: '{{seen}}', after: '{{global.price}}', mine: '{{global.mine}}' }),
      ],
      {
        price: {
          when: { events: ['price'] },
          do: [{ set: { name: 'global.price', value: 9 } }, { emit: { event: 'priced' } }],
        },
      },
    )
    await emit(one, id, 'go')
    await parkedRuns(one, id)
    await emit(one, id, 'price')
    expect(await told(one, id, 'told')).toEqual([{ after: 9, mine: 1 }])
  })

  test('waits in branches, in batches, in calls and in try, each for its own', async () => {
    const { id } = await workspaceOf(
      one,
      [
        {
          all: [
            { called: { name: 'a' } },
            {
              try: {
                do: [{ called: { name: 'b' } }, { unknown: {} }],
                catch: [tell({ caught: '{{$error.name}}' })],
              },
            },
            { repeat: { on: ['c', 'd'], batch: { size: 2 }, do: [{ called: { name: '{{item}}' } }] } },
          ],
        },
        tell({ all: true }),
      ],
      { called: { do: [waitFor('for.{{name}}'), tell({ name: '{{name}}' })] } },
    )
    await emit(one, id, 'go')
    for (const name of ['d', 'a', 'b', 'c']) {
      await parkedRuns(one, id)
      await emit(one, id, `for.${name}`)
      await vi.waitFor(async () => expect(await told(one, id, 'told')).toContainEqual({ name }), patiently)
    }
    expect(await told(one, id, 'told', 6)).toContainEqual({ all: true })
    expect(await told(one, id, 'told', 6)).toContainEqual({ caught: 'ObjectNotFoundError' })
  })

  test('goes on in one branch while another asks the outside', async () => {
    await using gate = await startGate()
    const { id } = await workspaceOf(one, [
      {
        all: [
          { conditions: { '1': [waitFor('tick'), tell({ ticked: true })] } },
          { fetch: { url: gate.url } },
        ],
      },
      tell({ all: true }),
    ])
    await emit(one, id, 'go')
    await vi.waitFor(
      async () =>
        expect(
          await one.database.many(sql`select 1 from runtime.waits where workspace_id = ${id}`),
        ).toHaveLength(1),
      patiently,
    )
    await emit(one, id, 'tick')
    expect(await told(one, id, 'told')).toEqual([{ ticked: true }])
    gate.open()
    expect(await told(one, id, 'told', 2)).toContainEqual({ all: true })
  })

  test('that is cancelled runs its `finally`, wherever it waits', async () => {
    const { id } = await workspaceOf(one, [
      { try: { do: [waitFor('never', { timeout: '10d' })], finally: [tell({ cleaned: true })] } },
      tell({ late: true }),
    ])
    await emit(one, id, 'go')
    const [parked] = await parkedRuns(one, id)
    const runId = parked?.id ?? ''
    await one.as({ userId: 'ada' })(cancelRun, {
      params: { workspaceId: id, runId },
      body: { reason: 'enough' },
    })
    const run = await endedRun(one, id, runId)
    expect(run).toMatchObject({ status: 'cancelled', error: { message: 'The run was cancelled: enough' } })
    expect(await one.events(id, 'told')).toHaveLength(1)
    expect(await one.database.many(sql`select 1 from runtime.waits where workspace_id = ${id}`)).toEqual([])
  })

  test.each([
    [{ oneOf: [] as unknown[] }, 'wait.oneOf'],
    [{ oneOf: '{{nothing}}' }, 'wait.oneOf must be a list of events'],
    [{ oneOf: [{ event: '{{nothing}}' }] }, 'wait.oneOf[0].event must be 1–200 characters'],
    [{ oneOf: [{ event: '{% "runtime.contexts.updated" %}' }] }, 'contexts are read again after each wait'],
    [{ oneOf: [{ event: 'a', filters: { 'payload.n': { $near: 1 } } }] }, '"$near" does not exist'],
    [{ timeout: '31d' }, 'wait.timeout is longer than the 30 days a wait may take (RUN_MAX_WAIT_DAYS).'],
  ])('fails with a sentence for %j', async (wait, message) => {
    const { id } = await workspaceOf(one, [{ wait }])
    await emit(one, id, 'go')
    const [run] = await vi.waitFor(async () => {
      const rows = await runRows(one, id)
      expect(rows[0]?.status).toBe('failed')
      return rows
    }, patiently)
    expect(run?.error?.message).toContain(message)
  })
})

describe('an event that a wait with cancelTriggers takes', () => {
  test('starts nothing, also when it is delivered again; others do', async () => {
    const { id } = await workspaceOf(
      one,
      [
        waitFor('reply', {}, { filters: { 'payload.to': 1 }, cancelTriggers: true }),
        tell({ n: '{{event.payload.n}}' }),
      ],
      { listener: { when: { events: ['reply'] }, do: [] } },
    )
    await emit(one, id, 'go')
    await parkedRuns(one, id)
    const events = [1, 2, 3].map((n) => emittedEvent(id, 'reply', { n, to: n === 2 ? 1 : 0 }))
    await one.database.many(insertEvents(events))
    wakeReaders(one.database)
    expect(await told(one, id, 'told')).toEqual([{ n: 2 }])
    // The log is read again, as after the death of its reader.
    await one.database.many(sql`update outbox.consumers set xid = '0', position = 0 where name = 'runtime'`)
    const third = await startRuntime({ databaseUrl: one.env.DATABASE_URL ?? '' })
    await third[Symbol.asyncDispose]()
    await vi.waitFor(async () => {
      const listeners = (await runRows(one, id)).filter(({ slug }) => slug === 'listener')
      expect(listeners.map(({ status }) => status).sort()).toEqual(['cancelled', 'succeeded', 'succeeded'])
      expect(listeners.find(({ status }) => status === 'cancelled')?.error?.message).toContain(
        'cancelTriggers',
      )
    })
  })
})

describe('a run that a request waits for', () => {
  test('waits in its request', async () => {
    const { id } = await one.workspace({
      ask: {
        when: { endpoint: true },
        do: [{ emit: { event: 'asked' } }, waitFor('answered'), { wait: { timeout: '5ms' } }],
        output: '{{event.payload.n}}',
      },
      answer: { when: { events: ['asked'] }, do: [{ emit: { event: 'answered', payload: { n: 5 } } }] },
    })
    expect(await (await one.call(id, 'ask')).json()).toBe(5)
    await vi.waitFor(async () =>
      expect(await one.database.many(sql`select 1 from runtime.waits where workspace_id = ${id}`)).toEqual(
        [],
      ),
    )
  })

  test('until its time is over, then without an event', async () => {
    const { id } = await one.workspace({
      ask: {
        when: { endpoint: true },
        do: [waitFor('never', { timeout: '50ms' })],
        output: { got: '{{event.type}}', done: true },
      },
    })
    expect(await (await one.call(id, 'ask')).json()).toEqual({ done: true })
  })
})
