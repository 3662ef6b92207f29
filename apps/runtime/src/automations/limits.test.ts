import { createThrottle } from '@platform/rate-limits'
import { longestTurn } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { compiled, runMain, startRuntime, type TestRuntime, testEngine } from '../../test/testing.ts'
import type { CompiledWorkspace } from './model.ts'

let runtime: TestRuntime
beforeAll(async () => {
  runtime = await startRuntime({ env: { RUN_MAX_DURATION_SECONDS: '1' } })
})
afterAll(() => runtime[Symbol.asyncDispose]())

const endless = { repeat: { until: 'false', do: [{ set: { name: 'a', value: '{% {{a}} + 1 %}' } }] } }

describe('a run that never ends', () => {
  test('is ended, and others are answered meanwhile', async () => {
    const workspace = await runtime.workspace({
      endless: { when: { endpoint: true }, do: [endless] },
      quick: { when: { endpoint: true }, output: 1 },
    })
    await runtime.call(workspace.id, 'quick')
    const running = runtime.call(workspace.id, 'endless')
    const times: number[] = []
    for (let round = 0; round < 20; round += 1) {
      const startedAt = performance.now()
      expect(await (await runtime.call(workspace.id, 'quick')).json()).toBe(1)
      times.push(performance.now() - startedAt)
    }
    const response = await running
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: 'WorkflowTimeoutError' })
    expect(times.sort((a, b) => a - b)[Math.floor(times.length / 2)]).toBePrompt(100)
    expect(await runtime.events(workspace.id, 'error')).toMatchObject([
      { payload: { type: 'WorkflowTimeoutError' } },
    ])
  })

  test.each([
    ['loops inside loops', [{ repeat: { until: 'false', do: [endless] } }]],
    ['calls without end', [{ repeat: { until: 'false', do: [{ other: {} }] } }]],
    ['loops in branches', [{ all: [endless, endless] }]],
    ['loops in batches', [{ repeat: { until: 'false', batch: { size: 5 }, do: [] } }]],
    [
      'a failure caught again and again',
      [{ repeat: { until: 'false', do: [{ try: { do: [{ nothing: {} }], catch: [] } }] } }],
    ],
    ['catching the end itself', [{ try: { do: [endless], catch: [endless], finally: [] } }]],
  ])('is ended whatever it does: %s', async (_, steps) => {
    const workspace = compiled({ main: { do: steps }, other: {} })
    const before = process.threadCpuUsage()
    const { failed } = await runMain(workspace, {}, { timeLimitMs: 150 })
    expect(failed?.failure.name).toBe('WorkflowTimeoutError')
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(2000)
  })

  test('lets timers in every few milliseconds', async () => {
    const run = () => runMain(compiled({ main: { do: [endless] } }), {}, { timeLimitMs: 400 })
    expect((await longestTurn(run)).longestMs).toBeLessThan(100)
  })
})

describe('a long run', () => {
  test('hands on what it emits before it ends', async () => {
    const workspace = await runtime.workspace({
      main: { when: { endpoint: true }, do: [{ emit: { event: 'started' } }, endless] },
    })
    const running = runtime.call(workspace.id, 'main')
    await vi.waitFor(async () => expect(await runtime.events(workspace.id, 'started')).toHaveLength(1), {
      timeout: 900,
      interval: 20,
    })
    expect((await running).status).toBe(400)
    expect(await runtime.events(workspace.id, 'started')).toHaveLength(1)
  })
})

describe('a run that calls itself', () => {
  test('ends at the depth that is allowed, quickly', async () => {
    const workspace = compiled({ main: { do: [{ a: {} }] }, a: { do: [{ b: {} }] }, b: { do: [{ a: {} }] } })
    const before = process.threadCpuUsage()
    const { failed, events } = await runMain(workspace)
    expect(failed?.failure).toMatchObject({ name: 'TooManyCallError', details: { max: 20 } })
    expect(events.filter(({ type }) => type === 'runtime.automations.executed').length).toBeLessThanOrEqual(
      21,
    )
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(1000)
  })

  test('goes on counting where the event that triggered it was', async () => {
    const workspace = compiled({ main: {} })
    expect((await runMain(workspace, {}, { depth: 19 })).failed).toBeUndefined()
    expect((await runMain(workspace, {}, { depth: 20 })).failed?.failure.name).toBe('TooManyCallError')
  })
})

describe('the limits of a workspace', () => {
  const limits = {
    automations: { perSecond: 100, burst: 5 },
    emits: { perSecond: 100, burst: 2 },
    fetches: { perSecond: 100, burst: 2 },
    functions: { perSecond: 100, burst: 2 },
    repeats: { perSecond: 10_000, burst: 600 },
  }

  test('hold back, and the event says for how long', async () => {
    const workspace = compiled({ main: { do: [{ repeat: { until: 12, do: [{ emit: { event: 'x' } }] } }] } })
    const startedAt = performance.now()
    const { events } = await runMain(workspace, {}, {}, testEngine({ throttle: createThrottle(limits) }))
    const elapsed = performance.now() - startedAt
    const executed = events.find(({ type }) => type === 'runtime.automations.executed')
    const throttled: number = Reflect.get(Object(executed?.payload), 'throttled')
    // A busy machine spends some of the 80 ms elsewhere.
    expect(elapsed).toBeGreaterThan(79)
    expect(throttled).toBeGreaterThan(40)
    expect(throttled).toBeLessThanOrEqual(Math.ceil(elapsed))
  })

  test('never make a run last longer than it may, and later ones don’t wait for what it gave up', async () => {
    const throttle = createThrottle({ ...limits, emits: { perSecond: 10, burst: 1 } })
    const workspace = compiled({ main: { do: [{ emit: { event: 'x' } }] } })
    const engine = testEngine({ throttle })
    const startedAt = performance.now()
    const runs = await Promise.all(
      Array.from({ length: 50 }, () => runMain(workspace, {}, { timeLimitMs: 300 }, engine)),
    )
    expect(performance.now() - startedAt).toBePrompt(2000)
    const failures = runs.flatMap(({ failed }) => (failed === undefined ? [] : [failed.failure.name]))
    expect(new Set(failures)).toEqual(new Set(['WorkflowTimeoutError']))
    expect(failures.length).toBeGreaterThanOrEqual(40)
    expect(throttle.take(workspace.id, 'emits', 1, performance.now())).toBeLessThan(500)
  })

  test('of one workspace never hold up a run of another', async () => {
    const throttle = createThrottle({ ...limits, emits: { perSecond: 1, burst: 1 } })
    const engine = testEngine({ throttle })
    const busy = compiled({ main: { do: [{ emit: { event: 'x' } }] } })
    const held = Promise.all(
      Array.from({ length: 30 }, () => runMain(busy, {}, { timeLimitMs: 600 }, engine)),
    )
    const quiet: CompiledWorkspace = Object.create(busy, { id: { value: 'another0123456789' } })
    const startedAt = performance.now()
    const { failed } = await runMain(quiet, {}, { timeLimitMs: 600 }, engine)
    expect(failed).toBeUndefined()
    expect(performance.now() - startedAt).toBePrompt(300)
    await held
  })

  test('are each workspace’s own', () => {
    const throttle = createThrottle(limits)
    for (let taken = 0; taken < 50; taken += 1) throttle.take('a', 'automations', 1, 1000)
    expect(throttle.take('a', 'automations', 1, 1000)).toBeGreaterThan(400)
    expect(throttle.take('b', 'automations', 1, 1000)).toBe(0)
  })

  test('let a burst through and refill', () => {
    const throttle = createThrottle(limits)
    const waits = Array.from({ length: 6 }, () => throttle.take('a', 'automations', 1, 1000))
    expect(waits).toEqual([0, 0, 0, 0, 0, 10])
    expect(throttle.take('a', 'automations', 1, 2000)).toBe(0)
  })
})

describe('a kept context', () => {
  const grow = (name: string) => ({
    repeat: { until: 200, do: [{ set: { name: `${name}.list[]`, value: 'some text' } }] },
  })
  const large = 'x'.repeat(800)

  test('that would grow too large fails the step that sets it, and keeps what was there', async () => {
    const { failed, effects } = await runMain(compiled({ main: { do: [grow('global')] } }))
    expect(failed?.failure).toMatchObject({ name: 'PayloadTooLarge', details: { context: 'global' } })
    expect(failed?.instruction).toBe('do[0].repeat.do[0].set')
    const [change] = effects.patches[0]?.changes ?? []
    // {"list":["some text",…]} has 11 characters and 12 for each item.
    expect(change).toMatchObject({ pushed: { length: Math.floor((1000 - 11 + 1) / 12) } })
    expect((await runMain(compiled({ main: { do: [grow('config')] } }))).failed).toBeUndefined()
  })

  test.each<[string, Record<string, unknown>, unknown]>([
    ['a set', { set: { name: 'user.big', value: '{{long}}{{long}}' } }, undefined],
    ['a set of escapes', { set: { name: 'user.big', value: '\u0001'.repeat(200) } }, undefined],
    ['an item far behind', { set: { name: 'user.list[300]', value: 1 } }, undefined],
    ['an output', { answer: { output: 'user.big' } }, undefined],
    ['a part', { set: { name: 'user.before.big', value: '{{long}}{{long}}' } }, { a: 1 }],
    ['a merge', { set: { name: 'user.before', value: { b: '{{long}}{{long}}' }, type: 'merge' } }, { a: 1 }],
    ['a text in place of a shorter one', { set: { name: 'user.before', value: '{{long}}{{long}}' } }, 'text'],
  ])('refuses %s where try catches it, and other changes stay', async (_, step, before) => {
    const main = {
      do: [
        { set: { name: 'long', value: large } },
        { set: { name: 'user.before', value: before ?? null } },
        { try: { do: [step], catch: [{ set: { name: 'user.caught', value: '{{$error.name}}' } }] } },
        { set: { name: 'session.after', value: 1 } },
      ],
      output: '{{user}}',
    }
    const { failed, output, effects } = await runMain(compiled({ main, answer: { output: [large, large] } }))
    expect(failed).toBeUndefined()
    expect(output).toMatchObject({ caught: 'PayloadTooLarge', before: before ?? null })
    expect(output).not.toHaveProperty('big')
    expect(effects.patches.map(({ context, content }) => [context, Object.keys(content)])).toEqual([
      ['user', ['before', 'caught']],
      ['session', ['after']],
    ])
  })

  test('takes as much as there is room for, however often it is replaced', async () => {
    const main = {
      do: [
        { set: { name: 'long', value: large } },
        {
          repeat: {
            until: 50,
            do: [
              { set: { name: 'user.text', value: '{{long}}{{$index}}' } },
              { set: { name: 'user.text', value: { a: '{{long}}' } } },
              { set: { name: 'user.gone', value: { a: ['{{$index}}'] } } },
              { delete: { name: 'user.gone' } },
              { delete: { name: 'user.text' } },
            ],
          },
        },
      ],
    }
    expect((await runMain(compiled({ main }))).failed).toBeUndefined()
  })

  test('that is full costs each step little', async () => {
    const engine = testEngine({
      contexts: { load: async () => ({ values: { full: 'x'.repeat(99_900) }, ending: [] }) },
      contextSizes: { run: 1e5, user: 1e5, session: 1e5, global: 1e5, socket: 1e5 },
    })
    const main = {
      do: [{ repeat: { until: 5000, do: [{ set: { name: 'global.n', value: '{{$index}}' } }] } }],
    }
    const startedAt = performance.now()
    expect((await runMain(compiled({ main }), {}, {}, engine)).failed).toBeUndefined()
    expect(performance.now() - startedAt).toBePrompt(1000)
  })
})

describe('effects of a run that is done again', () => {
  test('have the ids they had', async () => {
    const workspace = compiled({
      main: {
        do: [
          { repeat: { until: 3, do: [{ emit: { event: 'x' } }, { other: {} }] } },
          { all: [{ other: {} }, { emit: { event: 'y' } }] },
        ],
      },
      other: { do: [{ emit: { event: 'z' } }] },
    })
    const run = async () =>
      (await runMain(workspace, {}, { repeatable: true })).events
        .map(({ id, type }) => `${type} ${id}`)
        .sort()
    const [first, second] = [await run(), await run()]
    expect(first).toEqual(second)
    expect(new Set(first).size).toBe(first.length)
  })
})
