import {
  type AutomationDefinition,
  isInstructionName,
  type Warning as WarningSchema,
} from '@platform/contracts'
import type { z } from 'zod'
import { endpointOf } from './automation.ts'
import type { Neighbour } from './automation-store.ts'
import { isRecord } from './checks/is-record.ts'
import { formatPath } from './checks/problem.ts'
import { type PlacedStep, walkSteps } from './checks/walk-steps.ts'

/** A place of a definition and what is the matter with it. */
export type Warning = z.infer<typeof WarningSchema>

/** Warnings told at once. */
const MAX_WARNINGS = 50

/** What can be saved but will not run as its author may expect (decisions I9). */
export function findWarnings(definition: AutomationDefinition, neighbours: readonly Neighbour[]): Warning[] {
  const others = neighbours.filter(({ slug }) => slug !== definition.slug)
  const slugs = new Set([...others.map(({ slug }) => slug), definition.slug])
  return [...triggerWarnings(definition, others), ...stepWarnings(definition, slugs)].slice(0, MAX_WARNINGS)
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
  const twin = others.find((other) => other.endpoint !== null && samePattern(other.endpoint, endpoint))
  if (twin === undefined) return
  const message = `The automation "${twin.slug}" has the same URL; the one created first answers.`
  yield { path: 'when.endpoint', message }
}

/** `users/:id` and `users/:name` take the same URLs. */
const samePattern = (a: string, b: string): boolean => shapeOf(a) === shapeOf(b)

const shapeOf = (pattern: string): string =>
  pattern
    .replace(/^\/+|\/+$/g, '')
    .split('/')
    .map((part) => (part.startsWith(':') || part.startsWith('*') ? part.charAt(0) : part))
    .join('/')

function* stepWarnings(definition: AutomationDefinition, slugs: ReadonlySet<string>): Generator<Warning> {
  for (const placed of walkSteps(definition.do, ['do'])) {
    const message = slipMessage(placed) ?? payloadSlipMessage(placed) ?? unknownCallMessage(placed, slugs)
    if (message !== undefined) yield { path: formatPath(placed.argumentsPath), message }
  }
}

function slipMessage({ step }: PlacedStep): string | undefined {
  if (step?.slipped !== true) return undefined
  return `The fields of "${step.name}" stand beside it and are read as if they were indented under it.`
}

function payloadSlipMessage({ step }: PlacedStep): string | undefined {
  if (step?.name !== 'emit' || !isRecord(step.arguments) || step.arguments.payload !== null) return undefined
  return 'The payload is empty; fields beside it that emit does not know are read as the payload.'
}

/** Calls of apps (`Instance.slug`) and slugs from templates are known only when they run. */
function unknownCallMessage({ step }: PlacedStep, slugs: ReadonlySet<string>): string | undefined {
  const called = calledSlug(step)
  if (called === undefined || slugs.has(called) || /\.|\{\{|\{%/.test(called)) return undefined
  return `No automation of this workspace has the slug "${called}": the step fails until there is one.`
}

function calledSlug(step: PlacedStep['step']): string | undefined {
  if (step === undefined) return undefined
  if (!isInstructionName(step.name)) return step.name
  if (step.name !== 'runWorkflow' || !isRecord(step.arguments)) return undefined
  const { workflow } = step.arguments
  return typeof workflow === 'string' ? workflow : undefined
}
