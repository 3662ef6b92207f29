import { usesOfReferences } from '@platform/automation-checks'
import {
  type AutomationDefinition,
  isInstructionName,
  isSameUrlPattern,
  mayTrigger,
} from '@platform/contracts'
import { formatPath } from '@platform/source-texts'
import { endpointOf } from './automation.ts'
import type { AutomationChange, Neighbour } from './automation-store.ts'
import { callsFunctions, stepWarnings, type Warning } from './step-warnings.ts'

/** Most warnings in one response. */
const MAX_WARNINGS = 50

/** The names of the functions of a workspace, where an automation calls any. */
export async function namesOfFunctions(
  { functions }: AutomationChange,
  workspaceId: string,
  definition: AutomationDefinition,
): Promise<ReadonlySet<string>> {
  return new Set(callsFunctions(definition.do) ? await functions.listNames(workspaceId) : [])
}

/** What can be saved but will not run as its author may expect. */
export function findWarnings(
  definition: AutomationDefinition,
  neighbours: readonly Neighbour[],
  functions: ReadonlySet<string> = new Set(),
): Warning[] {
  const others = neighbours.filter(({ slug }) => slug !== definition.slug)
  const slugs = new Set([...others.map(({ slug }) => slug), definition.slug])
  const ofSteps = stepWarnings(definition.do, { slugs, functions })
  const ofSecrets = [...usesOfReferences(definition)].map(({ path, message }) => ({
    path: formatPath(path),
    message,
  }))
  const ofRuns = [...eventWarnings(definition), ...keyWarnings(definition)]
  return [...triggerWarnings(definition, others), ...ofRuns, ...ofSteps, ...ofSecrets].slice(0, MAX_WARNINGS)
}

/** Events that the platform tells of itself, and that start nothing so that nothing starts itself for ever. */
function* eventWarnings({ when }: AutomationDefinition): Generator<Warning> {
  for (const [index, type] of (when?.events ?? []).entries()) {
    if (mayTrigger(type)) continue
    const message = `The event "${type}" starts no automation: it is there to be read and subscribed to.`
    yield { path: `when.events[${index}]`, message }
  }
}

const CONTEXT_IN_KEY = /\{\{\s*(global|user|session|run|socket|secret|config|\$workspace)\b/

/** A key is worked out before the run begins, from what that is given and nothing else. */
function* keyWarnings(definition: AutomationDefinition): Generator<Warning> {
  for (const field of ['concurrency', 'debounce'] as const) {
    const name = CONTEXT_IN_KEY.exec(definition[field]?.key ?? '')?.[1]
    if (name === undefined || Object.hasOwn(definition.arguments ?? {}, name)) continue
    const message =
      `The context ${name} can’t be read in a key, which is empty there: take what tells runs apart from what they ` +
      'are given, such as {{payload.customer}}.'
    yield { path: `${field}.key`, message }
  }
}

function* triggerWarnings(
  definition: AutomationDefinition,
  others: readonly Neighbour[],
): Generator<Warning> {
  const { slug } = definition
  if (isInstructionName(slug)) {
    yield {
      path: 'slug',
      message: `The slug "${slug}" is also an instruction: a step "${slug}" never calls this automation.`,
    }
  }
  const endpoint = endpointOf(definition)
  if (endpoint === undefined) return
  const twin = others.find((other) => other.endpoint !== null && isSameUrlPattern(other.endpoint, endpoint))
  if (twin === undefined) return
  const message = `The automation "${twin.slug}" has the same URL; the one created first answers.`
  yield { path: 'when.endpoint', message }
}
