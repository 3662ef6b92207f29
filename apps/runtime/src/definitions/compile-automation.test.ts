import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AutomationDefinition } from '@platform/contracts'
import { defaultEventLimits } from '@platform/outbox'
import { expect, test } from 'vitest'
import { TimeSlices } from '../automations/time-slices.ts'
import { automationCompiler } from './compile-automation.ts'

const compile = automationCompiler(defaultEventLimits, new TimeSlices())

const STEPS = 5000

/** Expressions of their own for each try: one that was compiled before costs nothing. */
const steps = (count: number, round: number): Record<string, unknown>[] =>
  Array.from({ length: count }, (_, at) => ({
    set: { name: `v${at}`, value: `{% {{body.a${at}}} + ${round} %}` },
  }))

/** As many steps as an automation may have, in one list or inside other steps. */
const shapes: Record<string, (round: number) => AutomationDefinition['do']> = {
  'in one list': (round) => steps(STEPS, round),
  'inside one step': (round) => [{ repeat: { on: '{{list}}', do: steps(STEPS - 1, round) } }],
  'side by side': (round) => [{ all: steps(STEPS - 1, round) }],
}

/** The whole of the time and the longest time between two turns of the event loop. */
async function measure(work: Promise<unknown>): Promise<{ wholeMs: number; longestMs: number }> {
  let done = false
  const ended = work.finally(() => {
    done = true
  })
  const startedAt = performance.now()
  let last = startedAt
  let longestMs = 0
  while (!done) {
    await nextTurn()
    const now = performance.now()
    longestMs = Math.max(longestMs, now - last)
    last = now
  }
  await ended
  return { wholeMs: performance.now() - startedAt, longestMs }
}

test.each(Object.keys(shapes))(
  'the largest automation is compiled in many turns, its steps %s',
  async (shape) => {
    const shares: number[] = []
    for (let round = 0; round < 3; round += 1) {
      const definition = { slug: 'big', name: 'big', do: shapes[shape]?.(Math.random()) }
      const { wholeMs, longestMs } = await measure(compile('w', 'big', definition))
      shares.push(longestMs / wholeMs)
    }
    // The time of another process counts as ours: the best of three tries is the one to judge.
    expect(Math.min(...shares)).toBeLessThan(0.5)
  },
)

test('steps inside other steps are compiled wherever they stand', async () => {
  const compiled = await compile('w', 'main', {
    name: 'main',
    do: [
      { try: { do: [{ conditions: { '{{a}}': [{ nonsense: [] }], default: [{ all: [{ set: {} }] }] } }] } },
      { repeat: { until: 1, do: [{ break: { scope: 1 } }] } },
    ],
  })
  expect(compiled.problems.map((problem) => problem.split(': ')[0]).toSorted()).toEqual([
    'do[0].try.do[0].conditions.default[0].all[0].set',
    'do[0].try.do[0].conditions["{{a}}"][0].nonsense',
    'do[1].repeat.do[0].break',
  ])
})
