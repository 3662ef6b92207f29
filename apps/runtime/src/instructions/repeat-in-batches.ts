import { setTimeout as pause } from 'node:timers/promises'
import type { Execute, Frame } from '../automations/model.ts'
import { invalidInstruction, isRecord } from './instruction.ts'
import { isLoopBreak, isOver, roomForRound, type Until } from './rounds.ts'
import { settleAll } from './settle-all.ts'

/** Longest pause between two groups that an automation may ask for. */
const MAX_INTERVAL_MS = 60_000

/** Runs groups of items side by side, with a pause between the groups. */
export async function repeatInBatches(
  frame: Frame,
  items: Iterable<unknown>,
  until: Until,
  batch: unknown,
  steps: Execute,
): Promise<void> {
  const { size, intervalMs } = readBatch(batch)
  let group: Promise<boolean>[] = []
  let index = 0
  try {
    for (const item of items) {
      if (isOver(until, index, frame)) break
      const turn = roomForRound(frame, index)
      if (turn !== undefined) await turn
      group.push(heard(runRound(frame, item, index, steps)))
      index += 1
      if (group.length < size) continue
      if (await endGroup(group, intervalMs)) return
      group = []
    }
  } catch (error) {
    // Rounds that have begun end with the repeat: nothing of a run goes on after it.
    await Promise.allSettled(group)
    throw error
  }
  await endGroup(group, 0)
}

/** A round may fail long before its group is waited for; unheard until then, that would end the process. */
function heard<T>(round: Promise<T>): Promise<T> {
  round.catch(() => undefined)
  return round
}

/** Answers whether a round broke out of the repeat. */
async function endGroup(group: Promise<boolean>[], intervalMs: number): Promise<boolean> {
  const broke = await settleAll(group)
  if (intervalMs > 0) await pause(intervalMs)
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
    await steps(round)
    return false
  } catch (error) {
    if (isLoopBreak(error)) return true
    throw error
  }
}

function readBatch(batch: unknown): { size: number; intervalMs: number } {
  if (!isRecord(batch)) throw invalidInstruction('repeat.batch must be an object with size and interval.')
  const size = numberOf(batch.size ?? 1)
  const intervalMs = numberOf(batch.interval ?? 0)
  if (!(size >= 1) || !(intervalMs >= 0)) throw invalidInstruction('repeat.batch needs a size of at least 1.')
  return { size: Math.min(Math.trunc(size), 1000), intervalMs: Math.min(intervalMs, MAX_INTERVAL_MS) }
}

/** A list or an object is no number; turning one into text first could take for ever. */
const numberOf = (value: unknown): number => (typeof value === 'object' ? Number.NaN : Number(value))
