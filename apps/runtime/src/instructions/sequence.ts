import { located } from '../automations/automation-failure.ts'
import type { Execute, Frame, StepObserver } from '../automations/model.ts'
import type { Step } from './instruction.ts'

/**
 * Steps one after another, others let in between. As long as nothing has to wait there is no promise at all. Between
 * two steps there is one look at the clock, whatever has to wait: a run that was cancelled counts them.
 */
export function sequence(steps: readonly Step[]): Execute {
  return (frame) => {
    const [first] = steps
    let pending = first && runStep(first, frame)
    for (let index = 1; index < steps.length; index += 1) {
      if (pending !== undefined) return pending.then(() => goOnBehind(steps, index - 1, frame))
      const turn = frame.run.tick(frame)
      if (turn !== undefined) return turn.then(() => goOn(steps, index, frame))
      pending = runStep(steps[index] as Step, frame)
    }
    return pending
  }
}

/** One step whose failure knows its place. */
export function runStep(step: Step, frame: Frame): Promise<void> | undefined {
  if (frame.observed !== undefined) return runObserved(step, frame, frame.observed)
  try {
    const pending = step.run(frame)
    return pending?.catch((error: unknown) => {
      throw failureOf(error, step, frame)
    })
  } catch (error) {
    throw failureOf(error, step, frame)
  }
}

function runObserved(step: Step, frame: Frame, parent: StepObserver): Promise<void> | undefined {
  const observed = parent.begin(step.path, frame)
  const failed = (error: unknown): never => {
    const failure = failureOf(error, step, frame)
    observed.end(failure)
    throw failure
  }
  try {
    const pending = step.run({ ...frame, observed })
    if (pending !== undefined) return pending.then(() => observed.end(undefined), failed)
  } catch (error) {
    return failed(error)
  }
  observed.end(undefined)
  return undefined
}

function failureOf(error: unknown, step: Step, frame: Frame): unknown {
  const failure = located(error, frame.automation.slug, step.path)
  frame.run.heed(failure)
  return failure
}

/** From this step on, which has had its turn. */
async function goOn(steps: readonly Step[], index: number, frame: Frame): Promise<void> {
  const waiting = runStep(steps[index] as Step, frame)
  if (waiting !== undefined) await waiting
  await goOnBehind(steps, index, frame)
}

async function goOnBehind(steps: readonly Step[], index: number, frame: Frame): Promise<void> {
  for (let next = index + 1; next < steps.length; next += 1) {
    const turn = frame.run.tick(frame)
    if (turn !== undefined) await turn
    const waiting = runStep(steps[next] as Step, frame)
    if (waiting !== undefined) await waiting
  }
}
