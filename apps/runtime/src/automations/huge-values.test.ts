import { longestTurn } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  compiled,
  runMain,
  startRuntime,
  type TestAutomations,
  type TestRuntime,
} from '../../test/testing.ts'

let runtime: TestRuntime
beforeAll(async () => {
  runtime = await startRuntime()
})
afterAll(() => runtime[Symbol.asyncDispose]())

type Step = Record<string, unknown>

const setting = (name: string, value: unknown, more: object = {}): Step => ({ set: { name, value, ...more } })
const grown = (rounds: number, value: unknown): Step[] => [
  setting('a', [1]),
  { repeat: { until: rounds, do: [setting('a', value)] } },
]
/** 2^40 numbers, were they written out. */
const exponential = grown(40, ['{{a}}', '{{a}}'])
/** Small enough for a variable, too large for anything else. */
const large = grown(22, ['{{a}}', '{{a}}'])
const deep = grown(8000, ['{{a}}'])

const main = (steps: Step[], output: unknown = 1): TestAutomations => ({
  main: { when: { endpoint: true }, do: steps, output },
  quick: { when: { endpoint: true }, output: 'Hello' },
  other: { arguments: { x: { type: 'array' } }, validateArguments: true, output: 1 },
  back: { do: large, output: '{{a}}' },
})

/** Everything that would write the variable `a` out or walk through it. */
const uses: [string, TestAutomations][] = [
  ['an output', main([...large], '{{a}}')],
  ['an output that holds it twice', main([...large], { b: ['{{a}}', '{{a}}'] })],
  ['the payload of an event', main([...large, { emit: { event: 'x', payload: { a: '{{a}}' } } }])],
  ['the target of an event', main([...large, { emit: { event: 'x', target: { userId: '{{a}}' } } }])],
  ['the session context', main([...large, setting('session.a', '{{a}}')])],
  ['the user context', main([...large, setting('user.a', '{{a}}')])],
  ['the global context', main([...large, setting('global.a', '{{a}}')])],
  ['the run context', main([...large, setting('run.a', '{{a}}'), { emit: { event: 'x' } }])],
  ['the payload of break', main([...large, { break: { payload: { a: '{{a}}' } } }])],
  ['the payload of break all', main([...large, { break: { scope: 'all', payload: { a: '{{a}}' } } }])],
  ['the arguments of a call', main([...large, { other: { x: '{{a}}' } }])],
  [
    'the arguments of a run of its own',
    main([...large, { runWorkflow: { workflow: 'other', parameters: { x: '{{a}}' }, wait: false } }]),
  ],
  ['the output of a call', main([{ back: { output: 'b' } }])],
  ['the name of a call', main([...large, { runWorkflow: { workflow: '{{a}}' } }])],
  ['the size of a batch', main([...large, { repeat: { until: 1, batch: { size: '{{a}}' }, do: [] } }])],
]

describe('a value too large to be written out', () => {
  test.each([
    ['held again and again', main(exponential, '{{a}}')],
    ['nested again and again', main(deep, '{{a}}')],
    [
      'in fields',
      main([
        setting('a', { x: 1 }),
        { repeat: { until: 60, do: [setting('a', { x: '{{a}}', y: '{{a}}' })] } },
      ]),
    ],
    [
      'written part by part',
      main(
        [
          setting('a', { x: 1 }),
          { repeat: { until: 60, do: [setting('a.x', '{{a}}'), setting('a.y', '{{a}}')] } },
        ],
        '{{a}}',
      ),
    ],
    [
      'merged with itself',
      main([setting('a', [1]), { repeat: { until: 60, do: [setting('a', '{{a}}', { type: 'merge' })] } }]),
    ],
    [
      'in a loop over itself',
      main([...exponential, { repeat: { on: '{{a}}', do: [setting('b', '{{item}}')] } }]),
    ],
    ...uses,
  ])('fails the run and holds nobody up: %s', async (_, automations) => {
    const workspace = await runtime.workspace(automations)
    await runtime.call(workspace.id, 'quick')
    const computed = process.threadCpuUsage()
    const { result: response, longestMs } = await longestTurn(async () => {
      const running = runtime.call(workspace.id, 'main')
      for (let round = 0; round < 5; round += 1)
        expect(await (await runtime.call(workspace.id, 'quick')).json()).toBe('Hello')
      return await running
    })
    const { user, system } = process.threadCpuUsage(computed)
    expect((user + system) / 1000).toBeLessThan(1000)
    expect(longestMs).toBeLessThan(200)
    expect([400, 413]).toContain(response.status)
    expect(((await response.json()) as { message: string }).message).toMatch(/\.$/)
    expect(await runtime.events(workspace.id, 'error')).toHaveLength(1)
  })

  test('is named by the failure, with its place', async () => {
    const { failed } = await runMain(compiled({ main: { do: exponential } }))
    expect(failed).toMatchObject({
      failure: { name: 'PayloadTooLarge', message: expect.stringContaining('The value of "a"') },
      instruction: 'do[1].repeat.do[0].set',
    })
    const emitting = await runMain(
      compiled({ main: { do: [...large, { emit: { event: 'x', payload: { a: '{{a}}' } } }] } }),
    )
    expect(emitting.failed?.failure).toMatchObject({ name: 'EventTooLarge', details: { max: 100_000 } })
  })

  test('of which a reference is held costs nothing', async () => {
    const { failed, output } = await runMain(
      compiled({
        main: { do: [...large, setting('b.c', '{{a}}'), setting('b.c[0]', 1)], output: '{{b.c[0]}}' },
      }),
    )
    expect(failed).toBeUndefined()
    expect(output).toBe(1)
  })
})

describe('a large value that is allowed', () => {
  test('is answered', async () => {
    const text = 'x'.repeat(900_000)
    const steps = [setting('text', text), { repeat: { until: 10, do: [setting('list[]', '{{text}}')] } }]
    const workspace = await runtime.workspace(main(steps, '{{list}}'))
    const response = await runtime.call(workspace.id, 'main')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(Array.from({ length: 10 }, () => text))
    expect(await runtime.events(workspace.id, 'runtime.automations.executed')).toMatchObject([
      { payload: { output: { truncated: true } } },
    ])
  })

  test('is cheap to hand around', async () => {
    const steps = [
      setting('a', '{{list}}'),
      {
        repeat: {
          until: 2000,
          do: [setting('b', { a: '{{a}}', at: '{{$index}}' }), setting('n.b', '{{b}}')],
        },
      },
    ]
    const list = Array.from({ length: 100_000 }, (_, index) => ({ index }))
    const computed = process.threadCpuUsage()
    const { failed } = await runMain(compiled({ main: { do: steps } }), { list })
    expect(failed).toBeUndefined()
    const { user, system } = process.threadCpuUsage(computed)
    expect((user + system) / 1000).toBeLessThan(1000)
  })
})

describe('a part of a variable', () => {
  test.each<[string, Step[]]>([
    ['set elsewhere', [setting('b', '{{a.b}}'), setting('b.c', 2)]],
    ['pushed elsewhere', [setting('b[]', '{{a.b}}'), setting('b[0].c', 2)]],
    ['merged elsewhere', [setting('b', {}), setting('b', '{{a}}', { type: 'merge' }), setting('b.b.c', 2)]],
    ['the item of a loop', [{ repeat: { on: '{{a}}', do: [setting('item.value.c', 2)] } }]],
    ['the item of a list', [{ repeat: { on: '{{a.b.list}}', do: [setting('item.d', 2)] } }]],
    [
      'the item of a batch',
      [{ repeat: { on: '{{a.b.list}}', batch: { size: 2 }, do: [setting('item.d', 2)] } }],
    ],
    ['an argument', [{ change: { b: '{{a.b}}' } }]],
  ])('stays as it is when what was read of it is changed: %s', async (_, steps) => {
    const before = [setting('a.b.c', 1), setting('a.b.list[0].d', 1)]
    const automations = {
      main: { do: [...before, ...steps], output: '{{a}}' },
      change: { do: [setting('b.c', 2)] },
    }
    const { output } = await runMain(compiled(automations))
    expect(output).toEqual({ b: { c: 1, list: [{ d: 1 }] } })
  })
})
