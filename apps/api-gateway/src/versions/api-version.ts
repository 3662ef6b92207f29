import { z } from 'zod'

const version = z.object({
  name: z.string().regex(/^v[1-9]\d*$/),
  releasedOn: z.iso.date().default('2024-12-31'),
  deprecatedAt: z.iso.datetime().optional(),
  retiresAt: z.iso.datetime().optional(),
  successor: z.string().optional(),
  beta: z.boolean().optional(),
})

/** One line of the version table (decisions B1). */
export type ApiVersion = z.infer<typeof version>

/** The lifecycle of a version at an instant (specification "States and transitions"). */
export type VersionState = 'beta' | 'stable' | 'deprecated' | 'retired'

const specified: ApiVersion[] = [
  {
    name: 'v1',
    releasedOn: '2023-01-01',
    deprecatedAt: '2024-12-31T00:00:00Z',
    retiresAt: '2025-12-31T23:59:59Z',
    successor: 'v2',
  },
  { name: 'v2', releasedOn: '2024-12-31' },
  { name: 'v3', releasedOn: '2025-06-30', beta: true },
]

/** API_VERSIONS: a JSON list; the specification's table without it. */
export const apiVersionsField = z
  .string()
  .default(JSON.stringify(specified))
  .transform((text, context) => {
    const parsed = z.array(version).min(1).safeParse(parseJson(text))
    if (parsed.success) return parsed.data
    context.addIssue({
      code: 'custom',
      message: 'must be a JSON list of {name, releasedOn?, deprecatedAt?, retiresAt?, successor?, beta?}',
    })
    return z.NEVER
  })

/** The state of a version: computed, so that a version retires without a deploy. */
export function stateOf(entry: ApiVersion, now: Date): VersionState {
  if (isPast(entry.retiresAt, now)) return 'retired'
  if (isPast(entry.deprecatedAt, now)) return 'deprecated'
  return entry.beta === true ? 'beta' : 'stable'
}

const isPast = (instant: string | undefined, now: Date) => instant !== undefined && now >= new Date(instant)

/** The version whoever uses `entry` should move to. */
export const successorOf = (entry: ApiVersion): string => entry.successor ?? 'v2'

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
