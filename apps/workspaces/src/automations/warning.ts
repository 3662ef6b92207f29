import type { Warning as WarningSchema } from '@platform/contracts'
import type { z } from 'zod'

/** A place of a definition and what is the matter with it. */
export type Warning = z.infer<typeof WarningSchema>
