import {
  type BodyOf,
  callFunction as callContract,
  checkFunction as checkContract,
  type ResponseOf,
} from '@platform/contracts'
import { type CustomCode, type FunctionCall, FunctionFailure } from '@platform/custom-code'
import { failureOfFunction } from '@platform/function-calls'
import { route } from '@platform/http'
import { Failure } from '@platform/kernel'
import { type CallFetches, fetchOf } from './call-fetch.ts'

interface Deps extends CallFetches {
  readonly customCode: CustomCode
  /** Of the parameters. */
  readonly maxRequestBytes: number
}

type Call = BodyOf<typeof callContract>

export const callFunction = (deps: Deps) =>
  route(callContract, {
    async handle({ body, request }) {
      requireSize(body, deps.maxRequestBytes)
      const { key: _key, traceparent: _trace, secrets: _secrets, fetchRate: _rate, ...call } = body
      const asked: FunctionCall = {
        ...call,
        signal: request.signal,
        fetch: fetchOf(deps, body),
      }
      return await answerOf(deps.customCode, asked)
    },
  })

/** What the author has to mend is an answer; what passes by itself is refused, so that the caller comes again. */
async function answerOf(
  customCode: CustomCode,
  call: FunctionCall,
): Promise<ResponseOf<typeof callContract>> {
  try {
    const { result, logs, durationMs } = await customCode.call(call)
    return { result, logs: [...logs], durationMs }
  } catch (error) {
    if (!(error instanceof FunctionFailure)) throw error
    if (error.reason === 'busy') throw failureOfFunction(error, call.name)
    const { reason, message, line, column, logs, durationMs } = error
    return { failure: { reason, message, line, column, logs: [...logs], durationMs } }
  }
}

function requireSize({ name, parameters }: Call, max: number): void {
  if (Buffer.byteLength(JSON.stringify(parameters)) <= max) return
  throw new Failure(
    'PayloadTooLarge',
    `The parameters of the function "${name}" have more than ${max} bytes: pass less, or raise REQUEST_MAX_SIZE.`,
    { details: { max } },
  )
}

export const checkFunction = ({ customCode }: Pick<Deps, 'customCode'>) =>
  route(checkContract, {
    async handle({ body: { workspaceId, ...code } }) {
      try {
        return { problems: await customCode.check(workspaceId, code) }
      } catch (error) {
        throw error instanceof FunctionFailure ? failureOfFunction(error, '') : error
      }
    },
  })
