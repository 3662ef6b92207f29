import { type CallInput, PathParameterError, type PreparedCall, prepareCall } from '@platform/client'
import { type Endpoint, headers as names, type ResponseOf } from '@platform/contracts'
import {
  Deadline,
  Failure,
  type FailureBody,
  isFailureName,
  STORE_BUDGET_MS,
  storeBudget,
} from '@platform/kernel'
import { tracer } from '@platform/tracing'
import { Agent, type Dispatcher, request as send } from 'undici'
import type { z } from 'zod'

type AnyEndpoint = Endpoint<string, z.ZodType, z.ZodType, z.ZodType>

/**
 * Calls operations by their contract. Rejects with the Failure the server answered; with ServiceUnavailable when
 * nothing answers at the address, with GatewayTimeout when the response does not come in time.
 */
export type Client = <E extends AnyEndpoint>(contract: E, input?: CallInput<E>) => Promise<ResponseOf<E>>

const agent = new Agent({
  connect: { timeout: 1000 },
  keepAliveTimeout: 30_000,
  headersTimeout: 30_000,
  bodyTimeout: 30_000,
})

/** A typed client of the API. `headers` go with every call, for example the credential. */
export const createClient = (
  baseUrl: string,
  headers: Record<string, string> = {},
  timeoutMs = 30_000,
): Client => {
  const base = baseUrl.replace(/\/$/, '')
  return async (contract, input = {}) => {
    const call = prepare(contract, input)
    using deadline = new Deadline(timeoutMs, input.signal)
    const {
      statusCode,
      headers: answered,
      text,
    } = await exchange(base + call.target, {
      dispatcher: agent,
      method: call.method as Dispatcher.HttpMethod,
      headers: { ...budgetLeft(), ...headers, ...call.headers },
      body: call.body,
      signal: deadline.signal,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    })
    const body = parse(text)
    if (statusCode >= 400) throw failureOf(statusCode, body, answered['retry-after'])
    if (text !== '' && body === undefined)
      throw new Error(`The server answered ${statusCode} with something that is no JSON.`)
    return body as never
  }
}

function prepare<E extends AnyEndpoint>(contract: E, input: CallInput<E>): PreparedCall {
  try {
    return prepareCall(contract, input)
  } catch (error) {
    if (error instanceof PathParameterError) throw new Failure('RequestValidationError', error.message)
    throw error
  }
}

type Options = Parameters<typeof send>[1]

/** One call, as a part of the trace it belongs to. */
async function exchange(url: string, options: Options & { headers: Record<string, string> }) {
  const span = tracer?.beginPart({ name: `${options.method}`, kind: 'client' })
  if (tracer === undefined || span === undefined) return sendOnce(url, options)
  const headers = { ...options.headers, traceparent: span.traceparent }
  return tracer.finish(span, () => sendOnce(url, { ...options, headers }))
}

async function sendOnce(url: string, options: Options) {
  try {
    const { statusCode, headers, body } = await send(url, options)
    return { statusCode, headers, text: await body.text() }
  } catch (error) {
    throw unanswered(url, error)
  }
}

/** The caller's own reason to stop stays as it is. The message is public, so the address is only in the cause. */
function unanswered(url: string, error: unknown): unknown {
  if (!(error instanceof Error) || error.name === 'AbortError' || error instanceof Failure) return error
  if (error.name === 'TimeoutError' || /TIMEOUT/.test(String((error as { code?: unknown }).code ?? '')))
    return new Failure('GatewayTimeout', 'A service did not answer in time.', { cause: error })
  const cause = new Error(`Nothing answers at ${new URL(url).origin}.`, { cause: error })
  return new Failure('ServiceUnavailable', 'A service does not answer: try again shortly.', { cause })
}

/** What a request has spent of its budget is spent for whom it asks, too. */
function budgetLeft(): Record<string, string> {
  const leftMs = storeBudget()?.leftMs ?? STORE_BUDGET_MS
  return leftMs < STORE_BUDGET_MS ? { [names.storeBudget]: String(Math.floor(leftMs)) } : {}
}

/** Undefined for a text that is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function failureOf(status: number, body: unknown, retryAfter: string | string[] | undefined): Error {
  const { error, message, details } = (body ?? {}) as Partial<FailureBody>
  if (error === undefined || !isFailureName(error))
    return new Error(`The server answered ${status} without a known error.`)
  const seconds = Number(retryAfter)
  return new Failure(error, message ?? '', {
    details,
    ...(seconds > 0 ? { retryAfterSeconds: seconds } : {}),
  })
}

/** Resolves when an address answers below 500; for readiness checks. Rejects with a sentence. */
export async function reach(
  url: string,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): Promise<void> {
  const response = await send(url, { signal, headers }).catch((cause: unknown) => {
    throw new UnreachableError(`Nothing answers at ${new URL(url).origin}.`, { cause })
  })
  await response.body.dump()
  if (response.statusCode >= 500)
    throw new UnreachableError(`${new URL(url).origin} answered ${response.statusCode}.`)
}

/** An HTTP address that does not answer as it should. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
}
