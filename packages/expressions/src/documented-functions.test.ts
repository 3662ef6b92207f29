import { expect, it } from 'vitest'
import { evaluate, functionDescriptions, functionNames } from './index.ts'

const examples = functionNames.flatMap((name) =>
  functionDescriptions[name].examples.map(([expression, result]) => [expression, result] as const),
)

it.each(examples)('%s gives what the documents say', (expression, result) => {
  expect(evaluate(expression, {}, { now: () => new Date('2026-01-05T10:00:00Z') })).toEqual(result)
})

it('shows how every function is called', () => {
  for (const name of functionNames) expect(functionDescriptions[name].call).toContain(`${name}(`)
})
