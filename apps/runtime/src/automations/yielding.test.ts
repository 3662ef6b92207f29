import { expectOthersServed, longestTurn } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compiled, runMain, startRuntime, type TestRuntime, testEngine } from '../../test/testing.ts'

let runtime: TestRuntime
beforeAll(async () => {
  runtime = await startRuntime({ env: { RUN_MAX_DURATION_SECONDS: '2' } })
})
afterAll(() => runtime[Symbol.asyncDispose]())

/** About 10 ms of honest work: a list is put in text and read again. */
const work = { set: { name: 'a', value: '{% length(json(json({{body.list}}))) %}' } }
const list = Array.from({ length: 20_000 }, (_, index) => index)
const isFalse = (index: number) => `length(json(json({{body.list}}))) == -${index + 1}`
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))

const attacks = {
  'steps in sequence': many(400, () => work),
  'conditions that do not hold': [
    { conditions: Object.fromEntries(many(400, (index) => [isFalse(index), []])) },
  ],
  branches: [{ all: many(400, () => work) }],
  'branches with steps': [{ all: many(100, () => ({ try: { do: many(4, () => work) } })) }],
  batches: [{ repeat: { on: '{{body.list}}', batch: { size: 500 }, do: [work] } }],
}

describe('a long run lets others in', () => {
  test.each(Object.entries(attacks))('between %s', async (_, steps) => {
    const workspace = await runtime.workspace({ main: { when: { endpoint: true }, do: steps } })
    await expectOthersServed({
      probe: async () => await (await fetch(`${runtime.url}/sys/livez`)).text(),
      attack: async () => {
        const init = {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ list }),
        }
        await (await runtime.call(workspace.id, 'main', init)).text()
      },
    })
  })

  test('and is over when its time is, whatever it does in sequence', async () => {
    for (const steps of Object.values(attacks)) {
      const before = process.threadCpuUsage()
      const { failed } = await runMain(
        compiled({ main: { do: steps } }),
        { body: { list } },
        { timeLimitMs: 100 },
      )
      expect(failed?.failure.name).toBe('WorkflowTimeoutError')
      expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(2_000)
    }
  })

  test('also where there are many', async () => {
    const engine = testEngine()
    const workspace = compiled({ main: { do: many(20, () => work) } })
    const runs = () =>
      Promise.all(many(50, () => runMain(workspace, { body: { list } }, { timeLimitMs: 1_000 }, engine)))
    expect((await longestTurn(runs)).longestMs).toBeLessThan(250)
  })
})

test('runs that began first are not starved by those that come', async () => {
  const engine = testEngine()
  const workspace = compiled({ main: { do: many(30, () => work) } })
  const quick = compiled({ main: { do: [work] } })
  let done = false
  const first = runMain(workspace, { body: { list } }, { timeLimitMs: 60_000 }, engine).then(({ failed }) => {
    done = true
    return failed
  })
  const startedAt = performance.now()
  while (!done && performance.now() - startedAt < 30_000)
    await Promise.race([
      first,
      Promise.all(many(4, () => runMain(quick, { body: { list } }, { timeLimitMs: 60_000 }, engine))),
    ])
  expect(await first).toBeUndefined()
})
