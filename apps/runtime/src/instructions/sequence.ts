import { located } from '../automations/automation-failure.ts'
import type { Call, Execute } from '../automations/model.ts'

/** One step and where it stands. */
export interface Step {
  readonly path: string
  readonly run: Execute
}

/** Steps one after another. As long as none has to wait there is no promise at all. */
export function sequence(steps: readonly Step[]): Execute {
  return (call) => {
    for (const [index, step] of steps.entries()) {
      const pending = runStep(step, call)
      if (pending !== undefined) return goOn(pending, steps, index + 1, call)
    }
    return undefined
  }
}

/** One step whose failure knows its place. */
export function runStep(step: Step, call: Call): Promise<void> | undefined {
  try {
    const pending = step.run(call)
    if (pending === undefined) return undefined
    return pending.catch((error: unknown) => {
      throw located(error, call.automation.slug, step.path)
    })
  } catch (error) {
    throw located(error, call.automation.slug, step.path)
  }
}

async function goOn(pending: Promise<void>, steps: readonly Step[], next: number, call: Call): Promise<void> {
  await pending
  for (const step of steps.slice(next)) {
    const waiting = runStep(step, call)
    if (waiting !== undefined) await waiting
  }
}
