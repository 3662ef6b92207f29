import type { AllArguments } from '@platform/contracts'
import { Break } from '../automations/automation-failure.ts'
import type { Frame } from '../automations/model.ts'
import { inStrand } from '../automations/strand.ts'
import type { Instruction, Step } from './instruction.ts'
import { runStep } from './sequence.ts'

/** all: steps side by side; ends when all have ended. A break ends its branch only, but `scope: all` goes on. */
export const all: Instruction<AllArguments> = {
  name: 'all',
  compile(steps, context) {
    const branches = context.branches(steps)
    return async (frame) => {
      const group = frame.run.branches<void>()
      for (const [index, branch] of branches.entries())
        await group.begin(() => inStrand(inBranch(frame, index), (own) => runBranch(branch, own)))
      await group.results()
    }
  },
}

const inBranch = (frame: Frame, index: number): Frame =>
  frame.observed === undefined ? frame : { ...frame, observed: frame.observed.inBranch(index) }

async function runBranch(branch: Step, frame: Frame): Promise<void> {
  try {
    const turn = frame.run.tick(frame)
    if (turn !== undefined) await turn
    await runStep(branch, frame)
  } catch (error) {
    if (error instanceof Break && error.scope !== 'all') return
    throw error
  }
}
