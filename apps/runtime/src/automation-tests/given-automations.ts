import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type AutomationLimits, readDefinition } from '@platform/automation-checks'
import { Failure, isRecord } from '@platform/kernel'
import type { CompiledAutomation } from '../automations/model.ts'
import type { GivenAutomation } from './test-workspace.ts'

/** An automation as it comes along with its tests. */
export interface AutomationText {
  readonly slug: string
  readonly text?: string | undefined
  readonly definition?: Readonly<Record<string, unknown>> | undefined
}

/** What is wrong with one of them, and where. */
export interface GivenProblem {
  readonly automation: string
  readonly path: string
  readonly line: number
  readonly column: number
  readonly message: string
}

/** Most problems in one response. */
const MAX_PROBLEMS = 50

/** Compiles it as an automation of the workspace that is tested. */
type Compile = (slug: string, saved: unknown) => Promise<CompiledAutomation>

/**
 * Automations that came along, checked as on saving and made runnable. Throws InvalidAutomation with the problems of
 * all of them.
 */
export async function compileGiven(
  automations: readonly AutomationText[],
  compile: Compile,
  limits: AutomationLimits,
): Promise<GivenAutomation[]> {
  const given: GivenAutomation[] = []
  const problems: GivenProblem[] = []
  for (const one of automations) {
    const read = readGiven(one, limits)
    if (Array.isArray(read)) problems.push(...read)
    else if (problems.length === 0) given.push(await compiled(one, read, compile))
    if (problems.length >= MAX_PROBLEMS) break
    // Reading a text takes its time: others get their turn between two of them.
    await nextTurn()
  }
  if (problems.length > 0) throw invalidAutomations(problems.slice(0, MAX_PROBLEMS))
  return given
}

type Read = ReturnType<typeof readDefinition>

function readGiven(one: AutomationText, limits: AutomationLimits): Read | GivenProblem[] {
  const { slug, text, definition } = one
  if (text === undefined && definition === undefined)
    throw new Failure(
      'RequestValidationError',
      `The automation "${slug}" has neither a text nor a definition.`,
    )
  const written =
    text === undefined
      ? { text: JSON.stringify(definition), mediaType: 'json' as const }
      : { text, mediaType: 'yaml' as const }
  try {
    return readDefinition(written, true, limits)
  } catch (error) {
    if (!(error instanceof Failure) || error.name !== 'InvalidAutomation') throw error
    const { details } = error as { details?: Omit<GivenProblem, 'automation'>[] }
    return (details ?? []).map((problem) => ({ automation: slug, ...problem }))
  }
}

function invalidAutomations(problems: readonly GivenProblem[]): Failure {
  const [first] = problems
  const more = problems.length - 1
  const others = more === 0 ? '' : ` There ${more === 1 ? 'is 1 more problem' : `are ${more} more problems`}.`
  const place = `The automation "${first?.automation}", line ${first?.line}, column ${first?.column}`
  return new Failure('InvalidAutomation', `${place}: ${first?.message}${others}`, { details: problems })
}

async function compiled(
  { slug, text }: AutomationText,
  { input, source }: Read,
  compile: Compile,
): Promise<GivenAutomation> {
  const { when, disabled, priority } = input
  const checksum = createHash('sha256')
    .update(text ?? JSON.stringify(input))
    .digest('hex')
  const { endpoint, events } = when ?? {}
  return {
    slug,
    checksum,
    endpoint: endpointOf(slug, endpoint),
    events: events ?? null,
    disabled: disabled === true,
    priority: priority ?? null,
    compiled: { ...(await compile(slug, { name: slug, ...input })), checksum },
    places: source?.places ?? {},
  }
}

function endpointOf(slug: string, endpoint: unknown): string | null {
  if (endpoint === true) return slug
  const path = isRecord(endpoint) ? (endpoint.path ?? slug) : endpoint
  return typeof path === 'string' && path !== '' ? path : null
}
