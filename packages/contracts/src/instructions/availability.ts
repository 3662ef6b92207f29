import type { InstructionName } from './vocabulary.ts'

/**
 * Instructions that can be saved but not run yet: saving one answers a warning (decisions I9), and a run that reaches
 * one fails there with InvalidInstructionError.
 */
export const notYetRunnable = [
  'wait',
  'fetch',
  'rateLimit',
  'run',
  'auth',
  'createUserTopic',
  'joinUserTopic',
] as const satisfies readonly InstructionName[]
