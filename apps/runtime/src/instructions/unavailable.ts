import type { InstructionName } from '@platform/contracts'
import { type Instruction, invalidInstruction } from './instruction.ts'

/** Words of the language that can be saved but not run yet; they say so when they are run. */
export const unavailable = (name: InstructionName): Instruction => ({
  name,
  compile: () => () => {
    throw invalidInstruction(`The instruction ${name} is not available yet.`)
  },
})
