import { type CommentArguments, type InstructionName, notYetRunnable } from '@platform/contracts'
import type { EventLimits } from '@platform/outbox'
import type { ModuleStores } from '../modules/module.ts'
import { all } from './all.ts'
import { auth } from './auth.ts'
import { breakOut } from './break.ts'
import { runWorkflow } from './call.ts'
import { conditions } from './conditions.ts'
import { customCode } from './custom-code.ts'
import { emit } from './emit.ts'
import { fetch } from './fetch.ts'
import { type Instruction, invalidInstruction } from './instruction.ts'
import { rateLimit } from './rate-limit.ts'
import { repeat } from './repeat.ts'
import { run } from './run.ts'
import { deleteVariable, set } from './set-and-delete.ts'
import { tryCatch } from './try.ts'
import { wait } from './wait.ts'

/** The vocabulary: every word the language has. A key of a step that is none of them calls an automation. */
export const vocabulary = (limits: EventLimits, stores?: ModuleStores): readonly Instruction<never>[] => [
  set,
  deleteVariable,
  conditions,
  repeat,
  all,
  breakOut,
  tryCatch,
  emit(limits),
  wait(limits),
  fetch(limits, stores),
  run(limits, stores),
  customCode(limits, stores),
  rateLimit,
  runWorkflow(limits),
  auth,
  comment,
  ...notYetRunnable.map(unavailable),
]

/** comment: nothing happens. */
const comment: Instruction<CommentArguments> = { name: 'comment', compile: () => () => undefined }

/** Words of the language that can be saved but not run yet; they say so when they are run. */
const unavailable = (name: InstructionName): Instruction => ({
  name,
  compile: () => () => {
    throw invalidInstruction(`The instruction ${name} is not available yet.`)
  },
})
