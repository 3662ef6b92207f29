import type { ConditionsArguments } from '@platform/contracts'
import { compileExpression } from '@platform/expressions'
import type { Instruction } from './instruction.ts'

/** conditions: runs the steps of the first expression that holds, in the order written; else those of `default`. */
export const conditions: Instruction<ConditionsArguments> = {
  name: 'conditions',
  compile(args, place) {
    const cases = Object.entries(args)
      .filter(([key]) => key !== 'default')
      .map(([key, steps]) => ({ holds: compileExpression(key), steps: place.steps(steps, `["${key}"]`) }))
    const otherwise = place.steps(args.default ?? [], '.default')
    return (call) => {
      const { variables, chain } = call
      const found = cases.find(({ holds }) => Boolean(holds.evaluate(variables, chain.options)))
      return (found?.steps ?? otherwise)(call)
    }
  },
}
