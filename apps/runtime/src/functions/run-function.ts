import { runFunction as endpoint, type FunctionResult } from '@platform/contracts'
import { FunctionFailure } from '@platform/custom-code'
import { failureOfFunction, toldRate } from '@platform/function-calls'
import { route } from '@platform/http'
import { Failure } from '@platform/kernel'
import { workspaceNotFound } from '@platform/permissions'
import type { CompiledFunction, FunctionPlace } from '../automations/model.ts'
import { requireActive } from '../automations/suspension.ts'
import type { Definitions } from '../definitions/definitions.ts'
import type { Fetches } from '../fetches/fetches.ts'
import { functionNotFound, parametersOf } from './call-function.ts'
import { functionFetch, newKey } from './function-fetch.ts'

interface Deps {
  readonly definitions: Pick<Definitions, 'find'>
  readonly functions: FunctionPlace
  readonly fetches: Pick<Fetches, 'settings'>
  /** Of the parameters, as JSON. */
  readonly maxBytes: number
}

export const runFunction = (deps: Deps) =>
  route(endpoint, {
    async handle({ params, body, request, admitted: { by, workspace } }) {
      // Everybody may call the URL of an automation; this is for those who may execute as members.
      if (by === 'everybody') throw workspaceNotFound()
      const saved = await deps.definitions.find(workspace.id)
      if (saved !== undefined) requireActive(saved)
      const found = await saved?.findFunction(params.functionName)
      if (found === undefined) throw functionNotFound(params.functionName)
      const parameters = parametersOf(found, body?.parameters)
      requireBytes(parameters, found, deps.maxBytes)

      const { signal, correlationId } = request
      const key = newKey()
      const fetch = functionFetch({ ...deps, workspaceId: workspace.id, correlationId, key })
      const { timeoutMs = Number.MAX_SAFE_INTEGER, ...code } = found
      return await resultOf(found, () =>
        deps.functions.calls.call({
          ...textOf(code),
          workspaceId: workspace.id,
          parameters,
          timeoutMs: Math.min(timeoutMs, Math.max(1, request.deadlineAt - Date.now())),
          signal,
          fetch,
          key,
          ...toldRate(deps.functions.fetchRateOf(workspace.id)),
        }),
      )
    },
  })

const textOf = ({ inputs: _, ...text }: Omit<CompiledFunction, 'timeoutMs'>) => text

async function resultOf(
  { name }: CompiledFunction,
  call: () => ReturnType<FunctionPlace['calls']['call']>,
): Promise<FunctionResult> {
  try {
    const { result, logs, durationMs } = await call()
    return { result, logs: logs.map(shownLog), duration: durationMs }
  } catch (error) {
    if (!(error instanceof FunctionFailure)) throw error
    const failure = failureOfFunction(error, name)
    if (failure.name !== 'FunctionError') throw failure
    const details = { ...Object(failure.details), logs: error.logs.map(shownLog), duration: error.durationMs }
    throw new Failure(failure.name, failure.message, { details, cause: error })
  }
}

const shownLog = ({ level, text, at }: FunctionFailure['logs'][number]) => ({
  level,
  text,
  at: new Date(at).toISOString(),
})

function requireBytes(parameters: object, { name }: CompiledFunction, max: number): void {
  if (Buffer.byteLength(JSON.stringify(parameters)) <= max) return
  throw new Failure(
    'PayloadTooLarge',
    `The parameters of the function "${name}" have more than ${max} bytes: pass less, or raise REQUEST_MAX_SIZE.`,
    { details: { max } },
  )
}
