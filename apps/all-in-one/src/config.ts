import { type Env, opsCommand } from '@platform/config'
import { z } from 'zod'

/** What all in one reads for itself. */
export const allInOneEnv = z.object({
  DATA_DIRECTORY: z
    .string()
    .default('./.data')
    .describe(
      'Where all in one keeps its database, files, mails and secrets; one platform uses it at a time.',
    ),
  OPS_COMMAND: opsCommand,
})

/**
 * How many processes execute automations: one unless the environment says it. A text that is no number is told when
 * the variables are read.
 */
export const runtimeCount = ({ RUNTIME_PROCESSES = '1' }: Env): number =>
  /^\d+$/.test(RUNTIME_PROCESSES) ? Number(RUNTIME_PROCESSES) : 0
