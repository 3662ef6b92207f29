import { Failure } from '@platform/kernel'
import type { EventLimits } from '@platform/outbox'
import { MAX_OUTPUT, requireSize } from '../contexts/value-size.ts'
import { Variables } from '../contexts/variables.ts'
import { share } from '../contexts/write-path.ts'
import { AutomationFailure, Break, located } from './automation-failure.ts'
import type { CompiledAutomation, Frame, HttpAnswer, RunState, StepObserver, Trigger } from './model.ts'
import { executedEvent } from './run-events.ts'
import type { Strand } from './strand.ts'

/** How an automation is called. */
export interface CallOrder {
  readonly run: RunState
  readonly automation: CompiledAutomation
  readonly payload: Readonly<Record<string, unknown>>
  readonly depth: number
  readonly trace: string
  readonly inFinally: boolean
  readonly trigger: Trigger
  readonly strand: Strand
  readonly observed?: StepObserver | undefined
  /** Where it may shape the answer of a request. */
  readonly http?: HttpAnswer | undefined
  /** True for the first automation of a run: `break` with `scope: all` comes no further. */
  readonly isFirst?: boolean
}

/**
 * Runs one automation in a frame of its own. Rejects with AutomationFailure, or with the Break that goes on to its
 * caller, if it has one.
 */
export async function callAutomation(order: CallOrder, limits: EventLimits): Promise<unknown> {
  const { run, automation } = order
  const frame = frameOf(order)
  const startedAt = run.now()
  const clock = performance.now()
  let result: Result
  let thrown: unknown
  try {
    result = await perform(order, frame)
  } catch (error) {
    thrown = located(error, automation.slug, 'do')
    run.heed(thrown)
    result = { output: undefined, isBroken: false }
  }
  const { output, isBroken } = result
  const executed = {
    trigger: order.trigger,
    payload: order.payload,
    output,
    startedAt,
    durationMs: Math.round(performance.now() - clock),
    isBroken,
    failure: newFailureIn(thrown),
  }
  const recording = run.record(executedEvent(frame, executed, limits))
  if (recording !== undefined) await recording
  thrown ??= order.isFirst === true ? undefined : result.goesOn
  if (thrown !== undefined) throw thrown
  return output
}

interface Result {
  readonly output: unknown
  readonly isBroken: boolean
  /** The break that ends the callers as well. */
  readonly goesOn?: Break | undefined
}

function frameOf(order: CallOrder): Frame {
  const { run, automation, payload, depth, trace, inFinally, http, observed, strand } = order
  const place = { automationSlug: automation.slug, depth }
  // An argument may be part of a variable of the caller, which a write here must not change.
  for (const value of Object.values(payload)) share(value, run.contexts.owned)
  const locals = new Map(Object.entries(payload))
  if (http !== undefined) locals.set('$http', http.handle)
  const variables = new Variables(locals, run.contexts, place)
  const measures = { throttledMs: 0 }
  return { run, automation, variables, depth, trace, inFinally, http, measures, observed, strand }
}

async function perform({ run, automation, payload, depth }: CallOrder, frame: Frame): Promise<Result> {
  if (depth > run.maxDepth) throw tooDeep(run)
  const turn = run.tick(frame)
  if (turn !== undefined) await turn
  const throttled = run.throttle('automations', 1, frame)
  if (throttled !== undefined) await throttled
  checkInputs(run, automation, payload)
  const preparing = run.prepareContexts(automation)
  if (preparing !== undefined) await preparing
  return await finish(frame)
}

async function finish(frame: Frame): Promise<Result> {
  const { automation } = frame
  try {
    const running = automation.steps(frame)
    if (running !== undefined) await running
  } catch (error) {
    if (!(error instanceof Break)) throw error
    const goesOn = error.scope === 'all' ? error : undefined
    const output = error.payload === undefined ? outputOf(frame) : error.payload
    return { output, isBroken: true, goesOn }
  }
  return { output: outputOf(frame), isBroken: false }
}

function outputOf(frame: Frame): unknown {
  try {
    const output = frame.automation.output?.(frame)
    requireSize(output, MAX_OUTPUT, () => `The output of the automation "${frame.automation.slug}"`)
    return output
  } catch (error) {
    throw located(error, frame.automation.slug, 'output')
  }
}

function checkInputs(
  run: RunState,
  automation: CompiledAutomation,
  payload: Readonly<Record<string, unknown>>,
): void {
  try {
    for (const secret of automation.inputs.secretsIn(payload)) run.secrets.add(secret)
    automation.inputs.validate(payload)
  } catch (error) {
    throw located(error, automation.slug, 'arguments')
  }
}

/** The failure, when no call inside this one has reported it yet. */
function newFailureIn(thrown: unknown): Failure | undefined {
  if (!(thrown instanceof AutomationFailure) || thrown.reported) return undefined
  thrown.reported = true
  return thrown.failure
}

const tooDeep = (run: RunState) =>
  new Failure(
    'TooManyCallError',
    `More than ${run.maxDepth} automations called or triggered one another: look for a loop.`,
    { details: { max: run.maxDepth } },
  )
