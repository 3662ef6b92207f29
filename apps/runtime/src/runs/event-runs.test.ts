import { sql } from '@platform/database'
import { insertEvents } from '@platform/outbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { emittedEvent, runtimeDatabaseUrl, startRuntime, type TestRuntime } from '../../test/testing.ts'

let one: TestRuntime
let two: TestRuntime

beforeAll(async () => {
  const databaseUrl = await runtimeDatabaseUrl()
  one = await startRuntime({ databaseUrl })
  two = await startRuntime({ databaseUrl })
})
afterAll(async () => {
  await two[Symbol.asyncDispose]()
  await one[Symbol.asyncDispose]()
})

interface RunRow {
  automationSlug: string
  status: string
  attempt: number
  correlationId: string
  deadLetter: boolean
}

const runsOf = (workspaceId: string) =>
  one.database.many<RunRow>(sql`
    select automation_slug as "automationSlug", status, attempt, correlation_id as "correlationId",
      dead_letter as "deadLetter"
    from runtime.runs where workspace_id = ${workspaceId} order by id`)

const publish = (events: ReturnType<typeof emittedEvent>[]) => one.database.many(insertEvents(events))
const settled = (workspaceId: string, count: number) =>
  vi.waitFor(
    async () => {
      const runs = await runsOf(workspaceId)
      expect(runs.filter(({ status }) => status === 'succeeded' || status === 'failed')).toHaveLength(count)
    },
    { timeout: 15_000, interval: 50 },
  )

describe('a run that an event triggers', () => {
  test('sees the event, and belongs to its correlation', async () => {
    const workspace = await one.workspace({
      listen: {
        when: { events: ['order.placed'] },
        do: [
          {
            emit: {
              event: 'order.seen',
              payload: { n: '{{payload.n}}', by: '{{source.userId}}', id: '{{id}}', user: '{{user.id}}' },
            },
          },
        ],
      },
    })
    const event = emittedEvent(workspace.id, 'order.placed', { n: 7 })
    await publish([event])
    await settled(workspace.id, 1)
    const [seen] = await one.events(workspace.id, 'order.seen')
    expect(seen?.payload).toEqual({ n: 7, by: 'ada', id: event.id, user: 'ada' })
    expect(seen?.source.correlationId).toBe(event.source.correlationId)
    expect(await runsOf(workspace.id)).toMatchObject([
      { automationSlug: 'listen', status: 'succeeded', attempt: 1 },
    ])
  })

  test('knows the address of who emitted the event, which the event does not have', async () => {
    await one.database.many(
      sql`insert into gateway.users values ('ada', 'ada@example.com') on conflict do nothing`,
    )
    const seen = (value: string) => ({
      when: { events: ['order.placed'] },
      do: [{ emit: { event: 'order.seen', payload: { value } } }],
    })
    const workspace = await one.workspace({
      email: seen('{{user.email}}'),
      whole: seen('{{user}}'),
      chained: {
        when: { events: ['order.seen'] },
        do: [{ emit: { event: 'end', payload: { by: '{{user}}' } } }],
      },
    })
    await publish([emittedEvent(workspace.id, 'order.placed')])
    await settled(workspace.id, 4)
    const events = await one.events(workspace.id, 'order.seen')
    expect(events.map(({ payload }) => (payload as { value: unknown }).value)).toEqual(
      expect.arrayContaining([
        'ada@example.com',
        { id: 'ada', email: 'ada@example.com', role: 'owner', authData: { prismeai: {} }, orgSlugs: [] },
      ]),
    )
    const rows = await one.database.many(sql`
      select input #> '{caller,email}' as email from runtime.runs where workspace_id = ${workspace.id}`)
    expect(rows).toEqual(Array.from({ length: 4 }, () => ({ email: null })))
    const ends = await one.events(workspace.id, 'end')
    expect(ends.map(({ payload }) => payload)).toEqual([{ by: {} }, { by: {} }])
  })

  test('happens once for each automation, however often the event is delivered to however many instances', async () => {
    const workspace = await one.workspace({
      a: { when: { events: ['tick'] }, do: [{ emit: { event: 'a.done' } }] },
      b: { when: { events: ['tick', 'tock'] }, do: [{ emit: { event: 'b.done' } }] },
    })
    const events = Array.from({ length: 20 }, () => emittedEvent(workspace.id, 'tick'))
    await publish(events)
    await settled(workspace.id, 40)
    // The consumer begins before everything again: the whole log is delivered a second time.
    await one.database.many(sql`update outbox.consumers set xid = '0', position = 0 where name = 'runtime'`)
    const marker = emittedEvent(workspace.id, 'tock')
    await publish([marker])
    await settled(workspace.id, 41)
    expect(await one.events(workspace.id, 'a.done')).toHaveLength(20)
    expect(await one.events(workspace.id, 'b.done')).toHaveLength(21)
  })

  test('that fails is told with an error event', async () => {
    const workspace = await one.workspace({ bad: { when: { events: ['go'] }, do: [{ nothing: {} }] } })
    await publish([emittedEvent(workspace.id, 'go')])
    await settled(workspace.id, 1)
    expect(await one.events(workspace.id, 'error')).toMatchObject([
      {
        payload: {
          type: 'ObjectNotFoundError',
          details: { automationSlug: 'bad', instruction: 'do[0].nothing' },
        },
      },
    ])
  })

  test('emitting what triggers it ends with an error event', async () => {
    const workspace = await one.workspace({
      loop: { when: { events: ['again'] }, do: [{ emit: { event: 'again' } }] },
    })
    await publish([emittedEvent(workspace.id, 'again')])
    await vi.waitFor(async () => expect(await one.events(workspace.id, 'error')).toHaveLength(1), {
      timeout: 15_000,
      interval: 100,
    })
    expect(await one.events(workspace.id, 'error')).toMatchObject([{ payload: { type: 'TooManyCallError' } }])
    expect(await one.events(workspace.id, 'again')).toHaveLength(21)
  })

  test('does not listen to native events other than those it may', async () => {
    const workspace = await one.workspace({
      self: { when: { events: ['runtime.automations.executed', 'error', 'mark'] }, do: [] },
    })
    await publish([emittedEvent(workspace.id, 'error'), emittedEvent(workspace.id, 'mark')])
    await settled(workspace.id, 1)
    expect(await runsOf(workspace.id)).toHaveLength(1)
  })

  test('good runs go on among bad ones', async () => {
    const workspace = await one.workspace({
      work: {
        when: { events: ['work'] },
        do: [{ conditions: { '{{payload.bad}}': [{ nothing: {} }] } }, { emit: { event: 'worked' } }],
      },
    })
    const events = Array.from({ length: 110 }, (_, index) =>
      emittedEvent(workspace.id, 'work', { bad: index % 11 === 0 }),
    )
    await publish(events)
    await settled(workspace.id, 110)
    expect(await one.events(workspace.id, 'worked')).toHaveLength(100)
  })

  test('what it sets in run is there for the runs it triggers', async () => {
    const workspace = await one.workspace({
      first: {
        when: { events: ['first'] },
        do: [{ set: { name: 'run.x', value: 5 } }, { emit: { event: 'second' } }],
      },
      second: {
        when: { events: ['second'] },
        do: [{ emit: { event: 'third', payload: { x: '{{run.x}}' } } }],
      },
    })
    await publish([emittedEvent(workspace.id, 'first')])
    await vi.waitFor(
      async () => expect(await one.events(workspace.id, 'third')).toMatchObject([{ payload: { x: 5 } }]),
      { timeout: 10_000 },
    )
  })

  test('started by runWorkflow without waiting is recorded and done', async () => {
    const workspace = await one.workspace({
      main: {
        when: { endpoint: true },
        do: [{ runWorkflow: { workflow: 'later', parameters: { x: 1 }, wait: false, output: 'r' } }],
        output: '{{r}}',
      },
      later: { do: [{ emit: { event: 'done', payload: { x: '{{x}}', type: '{{run.trigger.type}}' } } }] },
    })
    expect(await (await one.call(workspace.id, 'main')).json()).toEqual({})
    await settled(workspace.id, 2)
    expect(await one.events(workspace.id, 'done')).toMatchObject([
      { payload: { x: 1, type: 'automation' }, source: { automationDepth: 2 } },
    ])
  })
})
