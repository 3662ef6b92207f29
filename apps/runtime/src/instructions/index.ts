import type { CommentArguments } from '@platform/contracts'
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
import type { Instruction } from './instruction.ts'
import { rateLimit } from './rate-limit.ts'
import { repeat } from './repeat.ts'
import { run } from './run.ts'
import { deleteVariable, set } from './set-and-delete.ts'
import { tryCatch } from './try.ts'
import { createUserTopic, joinUserTopic } from './user-topics.ts'
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
  createUserTopic(limits, stores),
  joinUserTopic(limits, stores),
  rateLimit,
  runWorkflow(limits),
  auth,
  comment,
]

/** comment: nothing happens. */
const comment: Instruction<CommentArguments> = { name: 'comment', compile: () => () => undefined }
