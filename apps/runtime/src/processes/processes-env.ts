import { count, type Env, milliseconds, readConfig } from '@platform/config'
import { z } from 'zod'

/** What a process needs to know that starts those which execute automations. */
export const processVariables = {
  RUNTIME_PROCESSES: count(1).describe(
    'Processes that execute automations, started and watched by one that executes none: 1, where all services share ' +
      'a process also more. With 0 the service executes them in its own.',
  ),
  RUNTIME_SILENCE_MS: milliseconds(250)
    .refine((value) => value >= 100, 'must be at least 100')
    .describe('Milliseconds without a sign of life, while it works, after which such a process is ended.'),
  RUNTIME_HEAP_MB: count(384)
    .refine((value) => value >= 64, 'must be at least 64')
    .describe(
      'Megabytes of values such a process may hold; one that needs more ends, and another takes its place.',
    ),
}

const schema = z.object({
  ...processVariables,
  SHUTDOWN_GRACE_MS: count(30_000),
  LOG_LEVEL: z.string().default('info'),
})

export type ProcessSettings = z.output<typeof schema>

export const readProcessSettings = (env: Env): ProcessSettings => readConfig(schema, env)
