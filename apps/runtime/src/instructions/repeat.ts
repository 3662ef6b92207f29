import type { RepeatArguments } from '@platform/contracts'
import type { Execute, Frame } from '../automations/model.ts'
import { type Instruction, invalidInstruction, isRecord, type StepContext } from './instruction.ts'
import { repeatInBatches } from './repeat-in-batches.ts'
import { isLoopBreak, isOver, roomForRound, type Until } from './rounds.ts'
import type { Read } from './text-compiler.ts'

/** repeat: runs its steps for each item of `on`, or until a count or an expression ends it. */
export const repeat: Instruction<RepeatArguments> = {
  name: 'repeat',
  compile(args, place) {
    const readItems: Read = args.on === undefined ? () => undefined : place.texts.reader(args.on)
    const steps = place.steps(args.do, '.do')
    const untilOf = compileUntil(args.until, place)
    if (args.batch !== undefined) {
      const readBatch = place.texts.reader(args.batch)
      return (frame) =>
        repeatInBatches(frame, itemsOf(frame, args, readItems), untilOf(frame), readBatch(frame), steps)
    }
    return (frame) => repeatOneByOne(frame, itemsOf(frame, args, readItems), untilOf(frame), steps)
  },
}

function compileUntil(until: string | number | undefined, place: StepContext): (frame: Frame) => Until {
  if (until === undefined) return () => ({ count: Number.POSITIVE_INFINITY, isReached: undefined })
  if (typeof until === 'number') return () => ({ count: until, isReached: undefined })
  const evaluate = place.texts.expression(until)
  return (frame) => {
    const first = evaluate(frame)
    const count = typeof first === 'number' ? first : Number.POSITIVE_INFINITY
    return { count, isReached: typeof first === 'number' ? undefined : (inner) => Boolean(evaluate(inner)) }
  }
}

/** Without `on` there are as many items as there are rounds, each its own number. */
function itemsOf(frame: Frame, args: RepeatArguments, read: Read): Iterable<unknown> {
  if (args.on === undefined) return numbers()
  const items = read(frame)
  if (items === undefined || items === null) return []
  if (Array.isArray(items)) return items
  if (isRecord(items)) return Object.entries(items).map(([key, value]) => ({ key, value }))
  throw invalidInstruction('repeat.on must be a list or an object.')
}

function* numbers(): Generator<number> {
  for (let number = 0; ; number += 1) yield number
}

async function repeatOneByOne(
  frame: Frame,
  items: Iterable<unknown>,
  until: Until,
  steps: Execute,
): Promise<void> {
  const variables = new Map<string, unknown>()
  const loop: Frame = { ...frame, variables: frame.variables.within(variables) }
  let index = 0
  try {
    for (const item of items) {
      variables.set('item', frame.variables.handOver(item)).set('$index', index)
      if (isOver(until, index, loop)) return
      const turn = roomForRound(loop, index)
      if (turn !== undefined) await turn
      const pending = steps(loop)
      if (pending !== undefined) await pending
      index += 1
    }
  } catch (error) {
    if (!isLoopBreak(error)) throw error
  }
}
