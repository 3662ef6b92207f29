import { count, flag } from '@platform/config'
import { type LimitName, type RateLimit, rateLimits } from '@platform/contracts'
import type { z } from 'zod'

/** What the environment says about limits. */
export interface LimitSettings {
  /** True switches all limits off: for benches and end-to-end tests. */
  readonly disabled: boolean
  /** By variable. */
  readonly points: ReadonlyMap<string, number>
}

type Fields<N extends LimitName> = {
  [K in N as (typeof rateLimits)[K]['variable']]: ReturnType<typeof count>
} & { RATE_LIMIT_DISABLED: ReturnType<typeof flag> }

/**
 * The variables of the limits a service takes, to be spread into its environment: each has the default and summary of
 * its limit.
 */
export function limitVariables<N extends LimitName>(names: readonly N[]): Fields<N> {
  const fields: Record<string, z.ZodType> = {
    RATE_LIMIT_DISABLED: flag(false).describe(
      'true switches all limits off; for benches and end-to-end tests only.',
    ),
  }
  for (const name of names) {
    const { variable, points, burst, summary }: RateLimit = rateLimits[name]
    fields[variable] = count(points).describe(summary)
    if (burst !== undefined)
      fields[`${variable}_BURST`] = count(burst).describe(`Further uses within a minute, beyond ${variable}.`)
  }
  return fields as Fields<N>
}

/** The limits an environment has set, for `rateLimiter`. */
export function limitSettings(env: Readonly<Record<string, unknown>>): LimitSettings {
  const points = Object.entries(env).filter(
    (entry): entry is [string, number] => entry[0].startsWith('RATE_LIMIT_') && typeof entry[1] === 'number',
  )
  return { disabled: env.RATE_LIMIT_DISABLED === true, points: new Map(points) }
}
