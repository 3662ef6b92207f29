import type { RunState } from '../../automations/model.ts'
import type { FetchFailure } from '../../fetches/fetch-answer.ts'
import type { FetchRequest } from '../../fetches/fetch-request.ts'
import type { RequestAuth } from '../../fetches/request-auth.ts'
import { REFERENCE, readReference } from './references.ts'
import type { SecretParts } from './secret-parts.ts'
import { referencedValue, SecretGone } from './secrets.ts'

/** Most different ones in a request. */
const MAX = 20
/** A shorter value is in everything: it is concealed only where it is the whole text. */
const LEAST_PART = 4

/** What leaves in the name of a run, and how what comes back is shown to it. */
export interface Revealed {
  readonly sent: FetchRequest | FetchFailure
  /** Puts the reference where an answer repeats the value of a secret. */
  readonly conceal: (value: unknown) => unknown
}

const asItIs = <T>(value: T): T => value

/** A request with the values of its secrets, for the socket and nothing else; the same one where it refers to none. */
export async function revealSecrets(
  run: RunState,
  parts: SecretParts | undefined,
  request: FetchRequest,
): Promise<Revealed> {
  if (parts?.masterKeys === undefined || !mayRefer(request)) return { sent: request, conceal: asItIs }
  const found = referencesIn(request)
  if (found.size > MAX) return refused(`A request may use ${MAX} secrets, this one uses ${found.size}.`)
  try {
    const values = await valuesOf(run, parts, found)
    for (const value of values.values()) for (const form of formsOf(value)) run.secrets.add(form)
    return { sent: fillSecrets(request, values), conceal: concealer(values, found) }
  } catch (error) {
    if (error instanceof SecretGone) return refused(error.message)
    throw error
  }
}

/** The references in a request, and the ids of their keys. */
export function referencesIn(request: FetchRequest): Map<string, string> {
  const written = [request.url.href, ...request.headers.values(), request.body ?? '', ...textsOf(request)]
  return new Map(
    written.flatMap((text) => [...text.matchAll(REFERENCE)]).map(([, id = '', bytes = '']) => [bytes, id]),
  )
}

/** Puts references where a value repeats what they stand for. */
export function concealer(
  values: ReadonlyMap<string, string>,
  keyIds: ReadonlyMap<string, string>,
): (value: unknown) => unknown {
  const references = new Map(
    [...values].flatMap(([bytes, value]) =>
      formsOf(value).map((form) => [form, `$secret:${keyIds.get(bytes)}.${bytes}.`]),
    ),
  )
  return (value) => concealed(value, references)
}

/** By the reference. Somebody's text that only looks like one has none. */
async function valuesOf(
  run: RunState,
  parts: SecretParts,
  found: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const values = new Map<string, string>()
  for (const [bytes, keyId] of found) {
    const reference = parts.masterKeys && readReference(parts.masterKeys, keyId, bytes)
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
  const put = (text: string, shape: (value: string) => string): string =>
    text.replaceAll(REFERENCE, (written, _, bytes: string) => {
      const value = values.get(bytes)
      return value === undefined ? written : shape(value)
    })
  const headers = new Headers(request.headers)
  try {
    for (const [name, value] of request.headers) headers.set(name, put(value, asItIs))
  } catch {
    return failure('A secret that is used in a header has characters that no header may have.')
  }
  const url = new URL(put(request.url.href, encodeURIComponent))
  const { body, parts, auth } = request
  return {
    ...request,
    url,
    headers,
    body: body === undefined ? undefined : put(body, shapeOf(request)),
    parts: parts?.map((part) => ({ ...part, content: put(part.content, asItIs) })),
    auth: auth && (mapped(auth, (text) => put(text, asItIs)) as RequestAuth),
  }
}

const mapped = (texts: object, change: (text: string) => string): object =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, typeof text === 'string' ? change(text) : text]),
  )

/** How a value stands in a body of this type. */
function shapeOf({ headers }: FetchRequest): (value: string) => string {
  const type = headers.get('content-type')?.toLowerCase() ?? ''
  if (type.includes('form-urlencoded')) return encodeURIComponent
  return type.includes('json') ? inJson : asItIs
}

/** How a value may stand in what a run shows, also in JSON that is part of a text of JSON. */
const formsOf = (value: string): string[] => [
  value,
  encodeURIComponent(value),
  inJson(value),
  inJson(inJson(value)),
]

const inJson = (value: string): string => JSON.stringify(value).slice(1, -1)

function concealed(value: unknown, references: ReadonlyMap<string, string>): unknown {
  if (references.size === 0) return value
  if (typeof value === 'string') return concealedText(value, references)
  if (Array.isArray(value)) return value.map((item) => concealed(item, references))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, concealed(item, references)]))
}

function concealedText(text: string, references: ReadonlyMap<string, string>): string {
  let shown = references.get(text) ?? text
  for (const [secret, reference] of references)
    if (secret.length >= LEAST_PART && secret !== text) shown = shown.replaceAll(secret, () => reference)
  return shown
}

const failure = (message: string): FetchFailure => ({ error: { name: 'SecretsError', message } })

const refused = (message: string): Revealed => ({ sent: failure(message), conceal: asItIs })
