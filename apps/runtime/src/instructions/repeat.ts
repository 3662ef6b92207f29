import type { RepeatArguments } from '@platform/contracts'
import { isRecord } from '@platform/kernel'
import { Break } from '../automations/automation-failure.ts'
import type { Execute, Frame } from '../automations/model.ts'
import { inStrand } from '../automations/strand.ts'
import type { Branches } from '../automations/turns.ts'
import { type Instruction, invalidInstruction, type StepContext } from './instruction.ts'
import { type Items, inParts, itemsOf } from './repeat-items.ts'
import type { Read } from './text-compiler.ts'

/** repeat: runs its steps for each item of `on`, or until a count or an expression ends it. */
export const repeat: Instruction<RepeatArguments> = {
  name: 'repeat',
  compile(args, context) {
    const readItems: Read = args.on === undefined ? () => undefined : context.texts.reader(args.on)
    const steps = context.steps(args.do, '.do')
    const untilOf = compileUntil(args.until, context)
    if (args.batch !== undefined) {
      const readSize = context.texts.reader(args.batch)
      return (frame) =>
        repeatInBatches(frame, {
          items: itemsOf(frame, args, readItems, context.path),
          until: untilOf(frame),
          batch: readBatch(readSize(frame)),
          steps,
          path: context.path,
        })
    }
    return (frame) =>
      repeatOneByOne(frame, itemsOf(frame, args, readItems, context.path), untilOf(frame), steps)
  },
}

function compileUntil(until: string | number | undefined, context: StepContext): (frame: Frame) => Until {
  if (until === undefined) return () => ({ count: Number.POSITIVE_INFINITY, isReached: undefined })
  if (typeof until === 'number') return () => ({ count: until, isReached: undefined })
  const evaluate = context.texts.expression(until)
  return (frame) => {
    const count = countIn(evaluate(frame))
    return count === undefined
      ? { count: Number.POSITIVE_INFINITY, isReached: (inner) => Boolean(evaluate(inner)) }
      : { count, isReached: undefined }
  }
}

/** A number, also one written as a text: what comes from a query or a form is one. */
function countIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && !Number.isNaN(number) ? number : undefined
}

async function repeatOneByOne(frame: Frame, items: Items, until: Until, steps: Execute): Promise<void> {
  const variables = new Map<string, unknown>()
  const loop: Frame = { ...frame, variables: frame.variables.within(variables) }
  const rounds = { frame, loop, variables, until, steps, index: 0 }
  try {
    await inParts(items, (part) => doRounds(rounds, part))
  } catch (error) {
    if (!isLoopBreak(error)) throw error
  }
}

interface Rounds {
  readonly frame: Frame
  readonly loop: Frame
  readonly variables: Map<string, unknown>
  readonly until: Until
  readonly steps: Execute
  index: number
}

/** Answers whether the repeat is over. */
async function doRounds(rounds: Rounds, part: Iterable<unknown>): Promise<boolean> {
  const { frame, loop, variables, until, steps } = rounds
  for (const item of part) {
    variables.set('item', frame.variables.handOver(item)).set('$index', rounds.index)
    if (isOver(until, rounds.index, loop)) return true
    const pending = beginRound(loop, rounds.index, steps)
    if (pending !== undefined) await pending
    rounds.index += 1
    // Of a stream the next item stays for whoever reads on.
    if (rounds.index >= until.count) return true
  }
  return false
}

function beginRound(loop: Frame, index: number, steps: Execute): void | Promise<void> {
  const turn = roomForRound(loop, index)
  return turn === undefined ? steps(inRound(loop, index)) : turn.then(() => steps(inRound(loop, index)))
}

/** Longest pause between two groups that an automation may ask for. */
const MAX_INTERVAL_MS = 60_000

interface BatchOrder {
  readonly items: Items
  readonly until: Until
  readonly batch: Batch
  readonly steps: Execute
  readonly path: string
}

/** Runs groups of items side by side, with a pause between the groups. */
async function repeatInBatches(frame: Frame, order: BatchOrder): Promise<void> {
  const groups: Groups = { group: frame.run.branches(), index: 0 }
  try {
    await inParts(order.items, (part) => beginRounds(frame, order, groups, part))
  } catch (error) {
    // Rounds that have begun end with the repeat: nothing of a run goes on after it.
    await groups.group.end()
    throw error
  }
  await groups.group.results()
}

interface Groups {
  group: Branches<boolean>
  index: number
}

/** Answers whether the repeat is over. */
async function beginRounds(
  frame: Frame,
  order: BatchOrder,
  groups: Groups,
  part: Iterable<unknown>,
): Promise<boolean> {
  for (const item of part) {
    if (isOver(order.until, groups.index, frame)) return true
    if (await beginInGroup(frame, order, groups, item)) return true
    if (groups.index >= order.until.count) return true
  }
  return false
}

/** Answers whether the group is done with it, and a round of it broke out of the repeat. */
async function beginInGroup(
  frame: Frame,
  order: BatchOrder,
  groups: Groups,
  item: unknown,
): Promise<boolean> {
  const { index, group } = groups
  const turn = roomForRound(frame, index)
  if (turn !== undefined) await turn
  await group.begin(() => runRound(frame, item, index, order.steps))
  groups.index += 1
  if (group.count < order.batch.size) return false
  if (await endGroup(frame, group, order)) return true
  groups.group = frame.run.branches()
  return false
}

/** Answers whether a round broke out of the repeat. */
async function endGroup(
  frame: Frame,
  group: Branches<boolean>,
  { batch, path }: BatchOrder,
): Promise<boolean> {
  const broke = await group.results()
  if (batch.intervalMs > 0) await frame.run.pause(frame, path, batch.intervalMs)
  return broke.includes(true)
}

/** Each item has variables of its own. Answers whether the round broke out of the repeat. */
async function runRound(frame: Frame, item: unknown, index: number, steps: Execute): Promise<boolean> {
  const variables = new Map<string, unknown>([
    ['item', frame.variables.handOver(item)],
    ['$index', index],
  ])
  const round: Frame = {
    ...frame,
    variables: frame.variables.within(variables),
    trace: `${frame.trace}[${index}]`,
  }
  try {
    await inStrand(round, async (own) => steps(inRound(own, index)))
    return false
  } catch (error) {
    if (isLoopBreak(error)) return true
    throw error
  }
}

const inRound = (frame: Frame, index: number): Frame =>
  frame.observed === undefined ? frame : { ...frame, observed: frame.observed.inRound(index) }

interface Batch {
  readonly size: number
  readonly intervalMs: number
}

function readBatch(batch: unknown): Batch {
  if (!isRecord(batch)) throw invalidInstruction('repeat.batch must be an object with size and interval.')
  const size = numberOf(batch.size ?? 1)
  const intervalMs = numberOf(batch.interval ?? 0)
  if (!(size >= 1) || !(intervalMs >= 0)) throw invalidInstruction('repeat.batch needs a size of at least 1.')
  return { size: Math.min(Math.trunc(size), 1000), intervalMs: Math.min(intervalMs, MAX_INTERVAL_MS) }
}

/** A list or an object is no number; turning one into text first could take for ever. */
const numberOf = (value: unknown): number => (typeof value === 'object' ? Number.NaN : Number(value))

/** The limit of a workspace is asked for this many rounds at a time. */
const TAKE = 500

/** When a repeat ends before its items do. */
interface Until {
  readonly count: number
  readonly isReached: ((frame: Frame) => boolean) | undefined
}

/** True when no further round is to begin. */
const isOver = (until: Until, index: number, loop: Frame): boolean =>
  index >= until.count || until.isReached?.(loop) === true

/** True for what ends a repeat and nothing else. */
const isLoopBreak = (error: unknown): boolean => error instanceof Break && error.scope === 'repeat'

/** Lets others in and makes busy workspaces wait; called before each round. */
function roomForRound(frame: Frame, index: number): Promise<void> | undefined {
  const turn = frame.run.tick(frame)
  if (index % TAKE !== 0 || index === 0) return turn
  const throttled = frame.run.throttle('repeats', TAKE, frame)
  return throttled === undefined ? turn : Promise.all([turn, throttled]).then(() => undefined)
}
