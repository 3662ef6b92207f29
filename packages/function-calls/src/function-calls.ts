import type { BodyOf, callFunction } from '@platform/contracts'
import type {
  CodeProblem,
  FunctionAnswer,
  FunctionCall,
  FunctionCode,
  FunctionFailure,
} from '@platform/custom-code'
import { Failure } from '@platform/kernel'

/** A call whose effects outside can be told from those of others. */
export interface KeyedCall extends FunctionCall {
  /** The same when it is done again: what it asks outside is sent with it. */
  readonly key: string
  /** The secrets that its parameters refer to; asked only where the function runs elsewhere. */
  readonly secrets?: () => Promise<CarriedSecrets>
  /** How often its workspace may fetch, where that is said of this one; it counts where the function runs elsewhere. */
  readonly fetchRate?: FetchRate
}

/** `null`: nothing holds it back. */
export type FetchRate = BodyOf<typeof callFunction>['fetchRate']

/** Tells a rate only where there is one: the version before knows nothing of it. */
export const toldRate = (fetchRate: FetchRate): { readonly fetchRate?: FetchRate } =>
  fetchRate === undefined ? {} : { fetchRate }

/** Values of secrets as they go along with a call, for who sends its requests. */
export type CarriedSecrets = NonNullable<BodyOf<typeof callFunction>['secrets']>

/** Calls functions of authors, wherever they run. */
export interface FunctionCalls extends AsyncDisposable {
  /**
   * Rejects with FunctionFailure, with Failure (503) where the service that runs them does not answer, or with the
   * reason of the signal. `fetch` of the call counts only where the function runs here.
   */
  call(call: KeyedCall): Promise<FunctionAnswer>
  /** What is wrong with a function, for whoever saves it. */
  check(workspaceId: string, code: FunctionCode): Promise<readonly CodeProblem[]>
}

/** Statuses of responses that may have no body. */
const BODILESS = new Set([204, 205, 304])

/** The same response once all of it is there: whoever counts what is under way counts its body, too. */
export async function wholeResponse(response: Response): Promise<Response> {
  const { status, statusText, headers, url, redirected } = response
  const bytes = await response.arrayBuffer()
  const whole = new Response(BODILESS.has(status) ? null : bytes, { status, statusText, headers })
  return Object.defineProperties(whole, { url: { value: url }, redirected: { value: redirected } })
}

/** A text, or undefined for bytes that are none: there is no reference in them. */
export function textOfBody(body: Uint8Array | undefined): string | undefined {
  try {
    return body === undefined ? '' : new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}

/** A response without the values of secrets: where it repeats one it has its reference. */
export async function concealedResponse(
  response: Response,
  conceal: (value: unknown) => unknown,
): Promise<Response> {
  const { status, statusText } = response
  const isBodiless = response.body === null
  const headers = conceal(Object.fromEntries(response.headers)) as Record<string, string>
  const bytes = Buffer.from(await response.arrayBuffer())
  const text = textOfBody(bytes)
  // Of bytes that are no text each is a character meanwhile.
  const body =
    text === undefined
      ? Buffer.from(String(conceal(bytes.toString('latin1'))), 'latin1')
      : String(conceal(text))
  return new Response(isBodiless ? null : body, { status, statusText, headers })
}

/** Why a call has no answer, as callers see it: what its author has to mend is 400, what passes by itself 503. */
export function failureOfFunction(cause: FunctionFailure, name: string): Failure {
  const { reason, message, line, column } = cause
  if (reason === 'busy') return new Failure('ServiceUnavailable', message, { cause, retryAfterSeconds: 1 })
  const details = {
    function: name,
    reason,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  }
  return new Failure(reason === 'parametersTooLarge' ? 'PayloadTooLarge' : 'FunctionError', message, {
    cause,
    details,
  })
}
