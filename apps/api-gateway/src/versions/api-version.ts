import { Failure } from '@platform/kernel'
import { z } from 'zod'

const version = z.object({
  name: z.string().regex(/^v[1-9]\d*$/),
  releasedOn: z.iso.date().default('2024-12-31'),
  deprecatedAt: z.iso.datetime().optional(),
  retiresAt: z.iso.datetime().optional(),
  successor: z.string().optional(),
  beta: z.boolean().optional(),
})

/** One line of the version table. */
export type ApiVersion = z.infer<typeof version>

/** The lifecycle of a version at an instant. */
export type VersionState = 'beta' | 'stable' | 'deprecated' | 'retired'

const published: ApiVersion[] = [
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

/** API_VERSIONS: a JSON list; the table above without it. */
export const apiVersionsField = z
  .string()
  .default(JSON.stringify(published))
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

/** The version that callers of `entry` should move to. */
export const successorOf = (entry: ApiVersion): string => entry.successor ?? 'v2'

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** For every path under a retired version. */
export function retired(entry: ApiVersion): Failure {
  const successor = successorOf(entry)
  return new Failure('RetiredVersion', `Version ${entry.name} was retired: use ${successor}.`, {
    details: {
      version: entry.name,
      retiredAt: entry.retiresAt,
      successor,
      migrationGuide:
        `Change the path prefix /${entry.name} to /${successor} and read the changes of ${successor} ` +
        'in its API description.',
    },
  })
}

/** For a version that never was. */
export const unknownVersion = (segment: string): Failure =>
  new Failure('UnknownVersion', `There is no version "${segment.slice(0, 20)}": the current one is v2.`)

/** For a date whose behaviour can't be given. */
export const invalidApiVersion = (reason: string): Failure =>
  new Failure('InvalidApiVersion', `X-Platform-API-Version ${reason}.`)

const shape = /^\d{4}-\d{2}-\d{2}$/

const dayOf = (instant: Date): string => instant.toISOString().slice(0, 10)

/**
 * The day whose behaviour is asked for, as X-Platform-API-Version says it. Throws InvalidApiVersion for what is no
 * day of the calendar, lies ahead of `now` (in UTC) or before the version was released.
 */
export function requestedDate(text: string, releasedOn: string, now: Date): string {
  if (!shape.test(text) || !isDay(text)) throw invalidApiVersion('must be one date as YYYY-MM-DD')
  if (text > dayOf(now)) throw invalidApiVersion('must not be in the future')
  if (text < releasedOn) throw invalidApiVersion(`must be ${releasedOn} or later, when this version began`)
  return text
}

/** Days that no month has are moved to the next one by Date. */
function isDay(text: string): boolean {
  const parsed = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(parsed.getTime()) && dayOf(parsed) === text
}
