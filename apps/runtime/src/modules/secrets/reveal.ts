import type { CarriedSecrets } from '@platform/function-calls'
import { Failure } from '@platform/kernel'
import {
  asItIs,
  concealer,
  fillBody,
  fillHeaders,
  fillText,
  formsOf,
  referencesIn,
  type Shape,
} from '@platform/secret-references'
import type { RunState } from '../../automations/model.ts'
import type { FetchFailure } from '../../fetches/fetch-answer.ts'
import type { FetchRequest } from '../../fetches/fetch-request.ts'
import { basicCredentials, type RequestAuth } from '../../fetches/request-auth.ts'
import { keptAnswer } from '../kept-answer.ts'
import type { ModuleCall } from '../module.ts'
import { type ReadReference, readReference } from './references.ts'
import type { SecretParts } from './secret-parts.ts'
import { referencedValue, SecretGone } from './secrets.ts'

/** Most different ones in a request. */
const MAX = 20

/** What leaves in the name of a run, and how what comes back is shown to it. */
export interface Revealed {
  readonly sent: FetchRequest | FetchFailure
  /** Puts the reference where an answer repeats the value of a secret. */
  readonly conceal: (value: unknown) => unknown
}

/** A request with the values of its secrets, for the socket and nothing else; the same one where it refers to none. */
export async function revealSecrets(
  run: RunState,
  parts: SecretParts | undefined,
  request: FetchRequest,
): Promise<Revealed> {
  if (parts?.masterKeys === undefined || !mayRefer(request)) return { sent: request, conceal: asItIs }
  const found = referencesOf(request)
  if (found.size > MAX) return refused(`A request may use ${MAX} secrets, this one uses ${found.size}.`)
  try {
    const values = await valuesOf(run, parts, found)
    hide(run, values)
    const sent = fillSecrets(request, values)
    const made = madeOf(sent)
    for (const text of made) run.secrets.add(text)
    return { sent, conceal: concealer(values, found, made) }
  } catch (error) {
    if (error instanceof SecretGone) return refused(error.message)
    throw error
  }
}

/** What is made of secrets to show who sends a request, which an answer may repeat. */
export const madeOf = (sent: FetchRequest | FetchFailure): string[] =>
  'error' in sent || sent.auth?.kind !== 'basic' ? [] : [basicCredentials(sent.auth)]

/** Hides tokens that were got to send a request; the run has not written them. */
export function hidingTokens(
  conceal: (value: unknown) => unknown,
  tokens: readonly string[],
): (value: unknown) => unknown {
  if (tokens.length === 0) return conceal
  const hide = concealer(new Map(), new Map(), tokens)
  return (value) => hide(conceal(value))
}

/**
 * What is computed of a text in which values take the place of references, where the result gives none of them away. It
 * is kept with the run, and the values are not.
 */
export function withSecrets<T>(call: ModuleCall, text: string, compute: (text: string) => T): T | Promise<T> {
  const found = referencesIn([text])
  if (found.size === 0) return compute(text)
  const { stores, frame } = call
  const { run } = frame
  if (found.size > MAX) throw new Failure('InvalidArgumentsError', `A text may use ${MAX} secrets.`)
  return keptAnswer(
    call,
    async () => {
      const values =
        run.stubs?.secretsBehind(found) ?? (await valuesOf(run, stores?.secrets, found).catch(refuseGone))
      hide(run, values)
      return compute(fillText(text, values, asItIs))
    },
    { onlyReads: true },
  )
}

function refuseGone(error: unknown): never {
  throw error instanceof SecretGone ? new Failure('InvalidArgumentsError', error.message) : error
}

/** Nothing that is shown of the run holds them from now on. */
function hide({ secrets }: RunState, values: ReadonlyMap<string, string>): void {
  for (const value of values.values()) for (const form of formsOf(value)) secrets.add(form)
}

/** The references in a request, and the ids of their keys. */
export const referencesOf = (request: FetchRequest): Map<string, string> =>
  referencesIn([request.url.href, ...request.headers.values(), request.body ?? '', ...textsOf(request)])

/** Most that the parameters of a call refer to. */
const MAX_CARRIED = 100

/** The secrets that a text refers to, for the service that sends the requests of a function. */
export async function carriedSecrets(
  run: RunState,
  parts: SecretParts | undefined,
  text: string,
): Promise<CarriedSecrets> {
  if (parts?.masterKeys === undefined || !text.includes('$secret:')) return []
  const carried: CarriedSecrets = []
  for (const [bytes, keyId] of [...referencesIn([text])].slice(0, MAX_CARRIED)) {
    const reference = readReference(parts.masterKeys, keyId, bytes)
    if (reference !== undefined)
      carried.push({ keyId, bytes, ...(await carriedValue(run, parts, reference)) })
  }
  return carried
}

async function carriedValue(
  run: RunState,
  parts: SecretParts,
  reference: ReadReference,
): Promise<Pick<CarriedSecrets[number], 'value' | 'gone'>> {
  try {
    const value = await referencedValue(run, parts, reference)
    hide(run, new Map([[reference.place.name, value]]))
    return { value }
  } catch (error) {
    if (error instanceof SecretGone) return { gone: error.message }
    throw error
  }
}

/** By the reference. Somebody's text that only looks like one has none. */
async function valuesOf(
  run: RunState,
  parts: SecretParts | undefined,
  found: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const values = new Map<string, string>()
  if (parts?.masterKeys === undefined) return values
  for (const [bytes, keyId] of found) {
    const reference = readReference(parts.masterKeys, keyId, bytes)
    if (reference !== undefined) values.set(bytes, await referencedValue(run, parts, reference))
  }
  return values
}

const mayRefer = (request: FetchRequest): boolean =>
  /secret(?::|%3a)/i.test(request.url.href) ||
  request.body?.includes('secret') === true ||
  [...request.headers.values(), ...textsOf(request)].some((value) => value.includes('$secret:'))

/** The texts of a form with files, and of what shows who sends the request. */
const textsOf = ({ parts = [], auth }: FetchRequest): string[] => [
  ...parts.map(({ content }) => content),
  ...Object.values(auth ?? {}).filter((text) => typeof text === 'string'),
]

/** A request with values in place of references. */
export function fillSecrets(
  request: FetchRequest,
  values: ReadonlyMap<string, string>,
): FetchRequest | FetchFailure {
  if (values.size === 0) return request
  const put = (text: string, shape: Shape): string => fillText(text, values, shape)
  const headers = fillHeaders(request.headers, values)
  if (typeof headers === 'string') return failure(headers)
  const url = new URL(put(request.url.href, encodeURIComponent))
  const { body, parts, auth } = request
  return {
    ...request,
    url,
    headers,
    body: body === undefined ? undefined : fillBody(body, values, request.headers.get('content-type')),
    parts: parts?.map((part) => ({ ...part, content: put(part.content, asItIs) })),
    auth: auth && (mapped(auth, (text) => put(text, asItIs)) as RequestAuth),
  }
}

const mapped = (texts: object, change: (text: string) => string): object =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, typeof text === 'string' ? change(text) : text]),
  )

const failure = (message: string): FetchFailure => ({ error: { name: 'SecretsError', message } })

const refused = (message: string): Revealed => ({ sent: failure(message), conceal: asItIs })
