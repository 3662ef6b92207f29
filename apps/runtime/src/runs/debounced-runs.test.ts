import { listRuns, type Run } from '@platform/contracts'
import { sql } from '@platform/database'
import { insertEvents } from '@platform/outbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  emittedEvent,
  runtimeDatabaseUrl,
  startRuntime,
  type TestAutomation,
  type TestRuntime,
} from '../../test/testing.ts'

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

/** A workspace whose automation tells what it was started with. */
const saving = (debounce: TestAutomation['debounce'], rest: TestAutomation = {}) =>
  one.workspace({
    main: {
      when: { events: ['typed'] },
      debounce,
      do: [{ emit: { event: 'saved', payload: '{{payload}}' } }],
      ...rest,
    },
  })

const type = (workspaceId: string, ...payloads: readonly unknown[]) =>
  one.database.many(insertEvents(payloads.map((payload) => emittedEvent(workspaceId, 'typed', payload))))

const list = async (workspaceId: string): Promise<Run[]> =>
  (await one.as({})(listRuns, { params: { workspaceId }, query: { limit: '100' } })).runs.reverse()

const eventually = <T>(ask: () => Promise<T>) => vi.waitFor(ask, { timeout: 10_000, interval: 20 })

const kindOf = ({ status, waitsFor }: Run): string =>
  waitsFor === null ? status : `${status} for ${waitsFor.kind}`

/** Resolves once the runs are of these kinds; those of one millisecond are in no order. */
const settled = (workspaceId: string, kinds: readonly string[]): Promise<Run[]> =>
  eventually(async () => {
    const runs = await list(workspaceId)
    expect(runs.map(kindOf).toSorted()).toEqual(kinds.toSorted())
    return runs.toSorted((a, b) => kinds.indexOf(kindOf(a)) - kinds.indexOf(kindOf(b)))
  })

const saved = async (workspaceId: string) =>
  (await one.events(workspaceId, 'saved')).map(({ payload }) => payload)

/** As if its time had come. */
const letGo = (workspaceId: string) =>
  one.database.many(sql`
    update runtime.runs set due_at = now() where workspace_id = ${workspaceId} and waits_for = 'debounce'`)

describe('an automation with debounce', () => {
  test('runs once for events that come one after another, with the last of them', async () => {
    const { id } = await saving({ period: '1h' })
    for (const text of ['a', 'ab', 'abc']) await type(id, { text })
    const runs = await settled(id, ['cancelled', 'cancelled', 'queued for debounce'])
    expect(runs[0]?.error?.message).toBe('The run was cancelled: a later event took its place (debounce).')
    expect(await saved(id)).toEqual([])
    await letGo(id)
    await settled(id, ['cancelled', 'cancelled', 'succeeded'])
    expect(await saved(id)).toEqual([{ text: 'abc' }])
  })

  test('looks at many events at once as at one after another, on all processes together', async () => {
    const { id } = await saving({ period: '1h' })
    await type(id, ...Array.from({ length: 30 }, (_, n) => ({ n })))
    const kinds = [...Array.from({ length: 29 }, () => 'cancelled'), 'queued for debounce']
    await settled(id, kinds)
    await letGo(id)
    await eventually(async () => expect(await saved(id)).toEqual([{ n: 29 }]))
  })

  test('looks at each key by itself, and begins when nothing more has come', async () => {
    const { id } = await saving({ period: '600ms', key: '{{payload.document}}' })
    await type(id, { document: 1, text: 'a' }, { document: 2, text: 'b' }, { document: 1, text: 'ab' })
    await settled(id, ['cancelled', 'succeeded', 'succeeded'])
    const texts = (await saved(id)).map((payload) => (payload as { text: string }).text)
    expect(texts.toSorted()).toEqual(['ab', 'b'])
  })

  test('begins a new wait with what comes once the run has begun', async () => {
    const { id } = await saving({ period: '1h' })
    await type(id, { n: 1 })
    await settled(id, ['queued for debounce'])
    await letGo(id)
    await settled(id, ['succeeded'])
    await type(id, { n: 2 })
    await settled(id, ['succeeded', 'queued for debounce'])
  })

  test('waits no longer than max, however many come', async () => {
    const { id } = await saving({ period: '1h', max: '2h' })
    await type(id, { n: 1 })
    const [first] = await settled(id, ['queued for debounce'])
    await one.database.many(sql`
      update runtime.runs set debounced_since = debounced_since - interval '90 minutes' where workspace_id = ${id}`)
    await type(id, { n: 2 })
    const [, second] = await settled(id, ['cancelled', 'queued for debounce'])
    const began = Date.parse(first?.createdAt ?? '')
    const until = Date.parse(second?.waitsFor?.until ?? '')
    expect(Math.abs(until - began - 30 * 60_000)).toBeLessThan(1000)
  })

  test('keeps requests and calls waiting for nothing', async () => {
    const { id } = await saving({ period: '1h' }, { when: { endpoint: true }, output: 'now' })
    expect(await (await one.call(id, 'main')).json()).toBe('now')
  })

  test('fails where its key can’t be read, and says where', async () => {
    const { id } = await saving({ period: '1s', key: '{{payload' })
    await type(id, { n: 1 })
    const [run] = await settled(id, ['failed'])
    expect(run?.error).toMatchObject({ automationSlug: 'main', instruction: 'debounce.key' })
  })
})
