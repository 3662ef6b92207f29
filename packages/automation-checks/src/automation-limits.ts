import { count, seconds } from '@platform/config'
import { definitionSize } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { walkSteps } from '@platform/source-texts'
import type { z } from 'zod'

/** Variables of what an automation may be. */
export const automationLimitVariables = {
  AUTOMATION_MAX_BYTES: count(1_000_000).describe('Bytes an automation may have as JSON.'),
  AUTOMATION_MAX_STEPS: count(5000).describe('Steps an automation may have, nested ones included.'),
  AUTOMATION_MAX_NODES: count(50_000).describe(
    'Values, and words and marks of expressions, an automation may have.',
  ),
  SCHEDULES_MIN_INTERVAL: seconds(900).describe(
    'Seconds there must be between two times of a schedule; asked when an automation is saved.',
  ),
}

type AutomationLimitEnv = z.output<z.ZodObject<typeof automationLimitVariables>>

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
  /** Between two times of a schedule. */
  readonly scheduleIntervalSeconds: number
}

/** Where no other is given: every 15 minutes. */
export const SCHEDULE_INTERVAL_SECONDS = 900

export const automationLimits = (env: AutomationLimitEnv): AutomationLimits => ({
  bytes: env.AUTOMATION_MAX_BYTES,
  steps: env.AUTOMATION_MAX_STEPS,
  nodes: env.AUTOMATION_MAX_NODES,
  scheduleIntervalSeconds: env.SCHEDULES_MIN_INTERVAL,
})

/** Refuses a definition, or a part of one, that is too large in any way. Throws InvalidAutomation. */
export function requireWithinLimits(definition: unknown, limits: AutomationLimits): void {
  const { values, words } = definitionSize(definition)
  requireAtMost(limits.nodes, values + words, 'values and words of expressions')
  requireAtMost(limits.steps, countSteps(definition), 'steps')
  requireAtMost(limits.bytes, Buffer.byteLength(JSON.stringify(definition) ?? ''), 'bytes as JSON')
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
