import type { z } from 'zod'
import {
  AuthArguments,
  CustomCodeArguments,
  RateLimitArguments,
  RunArguments,
  RunWorkflowArguments,
} from './calls.ts'
import { CreateUserTopicArguments, EmitArguments, JoinUserTopicArguments, WaitArguments } from './events.ts'
import { FetchArguments } from './fetch.ts'
import {
  AllArguments,
  BreakArguments,
  CommentArguments,
  ConditionsArguments,
  RepeatArguments,
  TryArguments,
} from './flow.ts'
import { DeleteArguments, SetArguments } from './variables.ts'

/**
 * The vocabulary of automations: instruction → schema of what stands behind it. Any other key of a step calls an
 * automation.
 */
export const instructionSchemas = {
  set: SetArguments,
  delete: DeleteArguments,
  emit: EmitArguments,
  wait: WaitArguments,
  conditions: ConditionsArguments,
  repeat: RepeatArguments,
  all: AllArguments,
  break: BreakArguments,
  try: TryArguments,
  fetch: FetchArguments,
  rateLimit: RateLimitArguments,
  run: RunArguments,
  'Custom Code.run': CustomCodeArguments,
  runWorkflow: RunWorkflowArguments,
  auth: AuthArguments,
  createUserTopic: CreateUserTopicArguments,
  joinUserTopic: JoinUserTopicArguments,
  comment: CommentArguments,
} as const satisfies Record<string, z.ZodType>

/** The word of an instruction, for example `set`. */
export type InstructionName = keyof typeof instructionSchemas

/** True for an instruction of the language; other keys of a step are slugs of automations. */
export const isInstructionName = (name: string): name is InstructionName =>
  Object.hasOwn(instructionSchemas, name)
