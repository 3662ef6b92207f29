import { z } from 'zod'

/** What all in one reads for itself. */
export const allInOneEnv = z.object({
  DATA_DIRECTORY: z
    .string()
    .default('./.data')
    .describe(
      'Where all in one keeps its database, files, mails and secrets; one platform uses it at a time.',
    ),
})
