import { type AutomationDefinition, isInstructionName, isSameUrlPattern } from '@platform/contracts'
import { endpointOf } from './automation.ts'
import type { Neighbour } from './automation-store.ts'
import { stepWarnings, type Warning } from './step-warnings.ts'

/** Most warnings in one response. */
const MAX_WARNINGS = 50

/** What can be saved but will not run as its author may expect. */
export function findWarnings(definition: AutomationDefinition, neighbours: readonly Neighbour[]): Warning[] {
  const others = neighbours.filter(({ slug }) => slug !== definition.slug)
  const slugs = new Set([...others.map(({ slug }) => slug), definition.slug])
  return [...triggerWarnings(definition, others), ...stepWarnings(definition.do, slugs)].slice(
    0,
    MAX_WARNINGS,
  )
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
