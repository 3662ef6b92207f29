import { setTimeout as pause } from 'node:timers/promises'
import { FunctionFailure, type FunctionLog } from '@platform/custom-code'
import { failureOfFunction, toldRate } from '@platform/function-calls'
import { Failure, type FailureBody, growingPauseMs, SECOND_MS } from '@platform/kernel'
import type { CompiledFunction, Frame, FunctionPlace, OutsideEffect } from '../automations/model.ts'
import type { ModuleStores } from '../modules/module.ts'
import { carriedSecrets, revealSecrets } from '../modules/secrets/reveal.ts'
import { functionFetch } from './function-fetch.ts'

/** What came of a call, as it is kept with the run. */
interface KeptCall {
  /** Unix milliseconds. */
  readonly atMs: number
  readonly durationMs: number
  readonly logs: readonly FunctionLog[]
  readonly result?: unknown
  readonly failure?: FailureBody
}

/** A run that may take so long that it waits for a place as long as it may. */
const LONG_MS = 60 * SECOND_MS
/** How long the others do. */
const PATIENCE_MS = 10 * SECOND_MS
const PAUSES = { firstMs: 100, longestMs: 5 * SECOND_MS }

export const functionNotFound = (name: string): Failure =>
  new Failure('ObjectNotFoundError', `There is no function "${name.slice(0, 100)}" in this workspace.`)

/** What a function is called with. Throws InvalidArgumentsError where it wants something else. */
export function parametersOf({ name, inputs }: CompiledFunction, given: unknown): Record<string, unknown> {
  const parameters = given ?? {}
  if (typeof parameters !== 'object' || Array.isArray(parameters))
    throw new Failure('InvalidArgumentsError', `The parameters of the function "${name}" must be an object.`)
  inputs.validate(parameters as Record<string, unknown>)
  return parameters as Record<string, unknown>
}

/**
 * Calls a function in the name of a run. What it returns, and that it fails, is kept with the run and not asked for
 * again.
 */
export async function callFunction(
  frame: Frame,
  path: string,
  found: CompiledFunction,
  given: unknown,
  stores: ModuleStores | undefined,
): Promise<unknown> {
  const { run, observed } = frame
  const parameters = parametersOf(found, given)
  for (const text of found.inputs.secretsIn(parameters)) run.secrets.add(text)
  const throttled = run.throttle('functions', 1, frame)
  if (throttled !== undefined) await throttled
  const kept = await run.fromOutside(frame, path, (effect) => ask(frame, found, parameters, stores, effect))
  const { atMs, durationMs, logs, failure } = kept
  observed?.attempts([[atMs, durationMs, failure === undefined ? 'done' : reasonOf(failure)]])
  if (logs.length > 0) observed?.logged(logs)
  if (failure === undefined) return kept.result
  throw new Failure(failure.error, failure.message, { details: failure.details })
}

const reasonOf = ({ error, details }: FailureBody): string => String(Object(details).reason ?? error)

/** While nothing is free to run it, it is asked for again: a run that may last outlives the service it calls. */
async function ask(
  frame: Frame,
  found: CompiledFunction,
  parameters: Record<string, unknown>,
  stores: ModuleStores | undefined,
  effect: OutsideEffect,
): Promise<KeptCall> {
  const giveUpAt = performance.now() + patienceOf(effect.remainingMs())
  for (let failures = 0; ; failures += 1) {
    const asked = await tried(found, () => call(frame, found, parameters, stores, effect))
    if (!(asked instanceof Failure)) return asked
    const pauseMs = growingPauseMs(failures, PAUSES)
    if (performance.now() + pauseMs > giveUpAt) throw asked
    await pause(pauseMs, undefined, { signal: effect.signal })
  }
}

/** What came of a call, or why nothing could run it now. */
async function tried(
  { name }: CompiledFunction,
  ask: () => ReturnType<FunctionPlace['calls']['call']>,
): Promise<KeptCall | Failure> {
  const atMs = Date.now()
  try {
    const { result, logs, durationMs } = await ask()
    return { atMs, durationMs, logs, result }
  } catch (error) {
    if (!(error instanceof FunctionFailure)) {
      if (error instanceof Failure && error.status >= 500) return error
      throw error
    }
    const failure = failureOfFunction(error, name)
    if (failure.status >= 500) return failure
    return { atMs, durationMs: error.durationMs, logs: error.logs, failure: failure.toJSON() }
  }
}

const patienceOf = (remainingMs: number): number =>
  remainingMs > LONG_MS ? remainingMs : Math.min(remainingMs, PATIENCE_MS)

function call(
  { run }: Frame,
  { inputs: _, timeoutMs = Number.MAX_SAFE_INTEGER, ...text }: CompiledFunction,
  parameters: Record<string, unknown>,
  stores: ModuleStores | undefined,
  { key, signal, remainingMs }: OutsideEffect,
): ReturnType<FunctionPlace['calls']['call']> {
  const { functions, fetches, correlationId, workspace } = run
  if (functions === undefined)
    throw new Failure('InvalidInstructionError', 'Functions in code can not be called here.')
  const place = { fetches, functions, workspaceId: workspace.id, correlationId, key }
  return functions.calls.call({
    ...text,
    workspaceId: workspace.id,
    parameters,
    timeoutMs: Math.min(timeoutMs, Math.max(1, remainingMs())),
    signal,
    fetch: functionFetch({ ...place, reveal: (request) => revealSecrets(run, stores?.secrets, request) }),
    secrets: () => carriedSecrets(run, stores?.secrets, JSON.stringify(parameters)),
    ...toldRate(functions.fetchRateOf(workspace.id)),
    key,
  })
}
