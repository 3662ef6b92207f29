import { Failure } from '@platform/kernel'
import type { EventLimits } from '@platform/outbox'
import { MAX_OUTPUT, requireSize } from '../contexts/value-size.ts'
import { Variables } from '../contexts/variables.ts'
import { share } from '../contexts/write-path.ts'
import { AutomationFailure, Break, located } from './automation-failure.ts'
import type { Call, Chain, CompiledAutomation, Trigger } from './model.ts'
import { executedEvent } from './run-events.ts'

/** How an automation is called. */
export interface CallParts {
  readonly chain: Chain
  readonly automation: CompiledAutomation
  readonly payload: Readonly<Record<string, unknown>>
  readonly depth: number
  readonly trace: string
  readonly trigger: Trigger
}

/**
 * Runs one automation in a frame of its own. Rejects with AutomationFailure, or with the Break that goes on to the
 * caller.
 */
export async function callAutomation(parts: CallParts, limits: EventLimits): Promise<unknown> {
  const { chain, automation } = parts
  const call = frameOf(parts)
  const startedAt = chain.now()
  const clock = performance.now()
  let result: Result
  let thrown: unknown
  try {
    result = await perform(parts, call)
  } catch (error) {
    thrown = located(error, automation.slug, 'do')
    result = resultOfThrown(thrown)
  }
  const { output, isBroken } = result
  const executed = {
    trigger: parts.trigger,
    payload: parts.payload,
    output,
    startedAt,
    durationMs: Math.round(performance.now() - clock),
    isBroken,
    failure: newFailureIn(thrown),
  }
  const held = chain.record(executedEvent(call, executed, limits))
  if (held !== undefined) await held
  if (thrown !== undefined) throw thrown
  return output
}

interface Result {
  readonly output: unknown
  readonly isBroken: boolean
}

function frameOf({ chain, automation, payload, depth, trace }: CallParts): Call {
  const place = { automationSlug: automation.slug, depth }
  // An argument may be part of a variable of the caller, which a write here must not change.
  for (const value of Object.values(payload)) share(value, chain.contexts.owned)
  const locals = new Map(Object.entries(payload))
  const variables = new Variables(locals, chain.contexts, place)
  return { chain, automation, variables, depth, trace, measures: { throttledMs: 0 } }
}

async function perform({ chain, automation, payload, depth }: CallParts, call: Call): Promise<Result> {
  if (depth > chain.maxDepth) throw tooDeep(chain)
  const turn = chain.tick()
  if (turn !== undefined) await turn
  const held = chain.throttle('automations', 1, call)
  if (held !== undefined) await held
  checkInputs(chain, automation, payload)
  const preparing = chain.prepareContexts(automation)
  if (preparing !== undefined) await preparing
  return await finish(call)
}

async function finish(call: Call): Promise<Result> {
  const { automation } = call
  let isBroken = false
  try {
    const running = automation.steps(call)
    if (running !== undefined) await running
  } catch (error) {
    if (!(error instanceof Break) || error.scope === 'all') throw error
    if (error.payload !== undefined) return { output: error.payload, isBroken: true }
    isBroken = true
  }
  return { output: outputOf(call), isBroken }
}

function outputOf(call: Call): unknown {
  try {
    const output = call.automation.output?.(call)
    requireSize(output, MAX_OUTPUT, () => `The output of the automation "${call.automation.slug}"`)
    return output
  } catch (error) {
    throw located(error, call.automation.slug, 'output')
  }
}

function checkInputs(
  chain: Chain,
  automation: CompiledAutomation,
  payload: Readonly<Record<string, unknown>>,
): void {
  try {
    for (const secret of automation.inputs.secretsIn(payload)) chain.secrets.add(secret)
    automation.inputs.validate(payload)
  } catch (error) {
    throw located(error, automation.slug, 'arguments')
  }
}

const resultOfThrown = (thrown: unknown): Result =>
  thrown instanceof Break
    ? { output: thrown.payload, isBroken: true }
    : { output: undefined, isBroken: false }

/** The failure, when no call inside this one has told of it yet. */
function newFailureIn(thrown: unknown): Failure | undefined {
  if (!(thrown instanceof AutomationFailure) || thrown.reported) return undefined
  thrown.reported = true
  return thrown.failure
}

const tooDeep = (chain: Chain) =>
  new Failure(
    'TooManyCallError',
    `More than ${chain.maxDepth} automations called or triggered one another: look for a loop.`,
    { details: { max: chain.maxDepth } },
  )
