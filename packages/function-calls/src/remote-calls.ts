import { callFunction, checkFunction, headers } from '@platform/contracts'
import { type CustomCodeSettings, type FunctionCode, FunctionFailure } from '@platform/custom-code'
import { Breaker, Failure, SECOND_MS } from '@platform/kernel'
import { createClient } from '@platform/service-client'
import type { FunctionCalls } from './function-calls.ts'

/** The service says itself when a call takes too long, or has waited too long for its turn. */
const RESERVE_MS = 60 * SECOND_MS
const PAUSES = { firstPauseMs: 250, longestPauseMs: 5 * SECOND_MS }

/** Calls of the service that runs functions. While it does not answer, one call at a time asks whether it does. */
export function remoteCalls({
  url,
  internalApiKey,
  javascript,
  python,
}: Pick<CustomCodeSettings, 'javascript' | 'python'> & {
  url: string
  internalApiKey: string
}): FunctionCalls {
  const timeoutMs = Math.max(javascript.timeoutMs, python.timeoutMs) + RESERVE_MS
  const client = createClient(url, { [headers.internalKey]: internalApiKey }, timeoutMs)
  const asked = brokenBy(new Breaker(PAUSES))
  return {
    async call({ signal, fetch: _, secrets: carried, ...call }) {
      const secrets = await carried?.()
      const body = { ...call, ...textOf(call), ...(secrets === undefined ? {} : { secrets }) }
      const answer = await asked(() => client(callFunction, { body, signal }), signal)
      if (!('failure' in answer)) return answer
      const { reason, message, ...details } = answer.failure
      throw new FunctionFailure(reason, message, known(details))
    },
    async check(workspaceId, code) {
      const { problems } = await asked(() =>
        client(checkFunction, { body: { workspaceId, ...textOf(code) } }),
      )
      return problems.map(known)
    },
    async [Symbol.asyncDispose]() {},
  }
}

type Asked = <T>(ask: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/** Asks nothing while the last answer was that nobody is there. */
const brokenBy =
  (breaker: Breaker): Asked =>
  async (ask, signal) => {
    if (!breaker.allows(performance.now())) throw unavailable()
    try {
      const answer = await ask()
      breaker.succeeded()
      return answer
    } catch (error) {
      // Whoever stops waiting has a reason of their own.
      const reason = signal?.aborted === true ? signal.reason : error
      if (!isAway(reason)) {
        breaker.succeeded()
        throw reason
      }
      breaker.failed(performance.now())
      throw unavailable(reason)
    }
  }

const textOf = ({ language, code, dependencies, parameterNames }: FunctionCode) => ({
  language,
  code,
  dependencies: [...dependencies],
  parameterNames: [...parameterNames],
})

/** Without what is undefined. */
const known = <T extends object>(given: T) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }

/** It is not there, is stopping, or has too much to do: that passes. */
const isAway = (error: unknown): boolean =>
  error instanceof Failure && (error.name === 'ServiceUnavailable' || error.name === 'GatewayTimeout')

const unavailable = (cause?: unknown): Failure =>
  new Failure(
    'ServiceUnavailable',
    'Functions can not be called now: the service that runs them does not answer. Try again shortly.',
    { cause, retryAfterSeconds: 1 },
  )
