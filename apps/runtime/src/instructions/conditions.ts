import type { ConditionsArguments } from '@platform/contracts'
import type { Execute, Frame } from '../automations/model.ts'
import type { Instruction } from './instruction.ts'
import type { Read } from './text-compiler.ts'

/** conditions: runs the steps of the first expression that holds, in the order written; else those of `default`. */
export const conditions: Instruction<ConditionsArguments> = {
  name: 'conditions',
  compile(args, context) {
    const cases = Object.entries(args)
      .filter(([key]) => key !== 'default')
      .map(([key, steps]) => ({
        key,
        holds: context.texts.expression(key),
        steps: context.steps(steps, `["${key}"]`),
      }))
    const otherwise = context.steps(args.default ?? [], '.default')
    return (frame) => choose(frame, cases, otherwise)
  },
}

interface Case {
  readonly key: string
  readonly holds: Read
  readonly steps: Execute
}

/** The first expression costs no turn: its step had one. */
function choose(frame: Frame, cases: readonly Case[], otherwise: Execute): void | Promise<void> {
  for (const [index, { key, holds, steps }] of cases.entries()) {
    const turn = index === 0 ? undefined : frame.run.tick(frame)
    if (turn !== undefined) return turn.then(() => choose(frame, cases.slice(index), otherwise))
    if (!holds(frame)) continue
    frame.observed?.output(key)
    return steps(frame)
  }
  frame.observed?.output('default')
  return otherwise(frame)
}
