import { Failure } from '@platform/kernel'
import { z } from 'zod'

const version = z.object({
  name: z.string().regex(/^v[1-9]\d*$/),
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
  { name: 'v1', deprecatedAt: '2024-12-31T00:00:00Z', retiresAt: '2025-12-31T23:59:59Z', successor: 'v2' },
  { name: 'v2' },
  { name: 'v3', beta: true },
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
      message: 'must be a JSON list of {name, deprecatedAt?, retiresAt?, successor?, beta?}',
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

/** The answer for everything under a retired version (decisions B2). */
export function retired(entry: ApiVersion): Failure {
  const successor = entry.successor ?? 'v2'
  return new Failure('RetiredVersion', `Version ${entry.name} was retired: use ${successor}.`, {
    details: {
      version: entry.name,
      retiredAt: entry.retiresAt,
      successor,
      migrationGuide: `Change the path prefix /${entry.name} to /${successor} and read the changes of ${successor} in its API description.`,
    },
  })
}

/** The answer for a version that never was. */
export const unknownVersion = (segment: string): Failure =>
  new Failure('UnknownVersion', `There is no version "${segment.slice(0, 20)}": the current one is v2.`)

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
