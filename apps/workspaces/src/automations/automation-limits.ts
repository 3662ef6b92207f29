import { definitionSize } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { walkSteps } from '@platform/source-texts'

/**
 * How large automations may be, because each instance of the runtime compiles them and keeps them in memory; and how
 * often time may start them.
 */
export interface AutomationLimits {
  /** Bytes of an automation as JSON. */
  readonly bytes: number
  readonly steps: number
  /** Values, and words and marks of expressions. */
  readonly nodes: number
  /** Automations of a workspace. */
  readonly automations: number
  /** Between two times of a schedule. */
  readonly scheduleIntervalSeconds: number
}

/** Where no other is given: every 15 minutes. */
export const SCHEDULE_INTERVAL_SECONDS = 900

/** Refuses a definition, or a part of one, that is too large in any way. Throws InvalidAutomation. */
export function requireWithinLimits(definition: unknown, limits: AutomationLimits): void {
  const { values, words } = definitionSize(definition)
  requireAtMost(limits.nodes, values + words, 'values and words of expressions')
  requireAtMost(limits.steps, countSteps(definition), 'steps')
  requireAtMost(limits.bytes, Buffer.byteLength(JSON.stringify(definition) ?? ''), 'bytes as JSON')
}

/** Refuses one automation more than a workspace may have. */
export function requireRoomForAutomation(present: number, { automations }: AutomationLimits): void {
  if (present < automations) return
  throw new Failure(
    'ForbiddenError',
    `A workspace may have ${inWords(automations)} automations, and this one has them: delete one first.`,
    { details: { max: automations } },
  )
}

function countSteps(definition: unknown): number {
  let steps = 0
  for (const _ of walkSteps(Object(definition).do, [])) steps += 1
  return steps
}

function requireAtMost(max: number, found: number, what: string): void {
  if (found <= max) return
  const message =
    `The automation has ${inWords(found)} ${what}; at most ${inWords(max)} are allowed: ` +
    'split it into several automations.'
  throw new Failure('InvalidAutomation', message, { details: [{ line: 1, column: 1, path: '', message }] })
}

const inWords = (count: number): string => count.toLocaleString('en')
