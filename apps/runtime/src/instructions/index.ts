import { notYetRunnable } from '@platform/contracts'
import type { EventLimits } from '@platform/outbox'
import { all } from './all.ts'
import { breakOut } from './break.ts'
import { comment } from './comment.ts'
import { conditions } from './conditions.ts'
import { deleteVariable } from './delete.ts'
import { emit } from './emit.ts'
import type { Instruction } from './instruction.ts'
import { repeat } from './repeat.ts'
import { runWorkflow } from './run-workflow.ts'
import { set } from './set.ts'
import { tryCatch } from './try.ts'
import { unavailable } from './unavailable.ts'

/** The vocabulary: every word the language has. A key of a step that is none of them calls an automation. */
export const vocabulary = (limits: EventLimits): readonly Instruction<never>[] => [
  set,
  deleteVariable,
  conditions,
  repeat,
  all,
  breakOut,
  tryCatch,
  emit(limits),
  runWorkflow(limits),
  comment,
  ...notYetRunnable.map(unavailable),
]
