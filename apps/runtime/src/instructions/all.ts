import type { AllArguments } from '@platform/contracts'
import { Break } from '../automations/automation-failure.ts'
import type { Execute, Frame } from '../automations/model.ts'
import type { Instruction } from './instruction.ts'
import { settleAll } from './settle-all.ts'

/** all: steps side by side; ends when all have ended. A break ends its branch only, but `scope: all` goes on. */
export const all: Instruction<AllArguments> = {
  name: 'all',
  compile(steps, place) {
    const branches = place.branches(steps)
    return async (frame) => {
      await settleAll(branches.map((branch) => runBranch(branch, frame)))
    }
  },
}

async function runBranch(branch: Execute, frame: Frame): Promise<void> {
  try {
    const turn = frame.run.tick()
    if (turn !== undefined) await turn
    await branch(frame)
  } catch (error) {
    if (error instanceof Break && error.scope !== 'all') return
    throw error
  }
}
