import { excerptWithout, REDACTED, type SecretTexts, withoutSecretFields } from '@platform/logging'
import { type FetchAnswer, type FetchFailure, textOf } from './fetch-answer.ts'
import type { FetchRequest } from './fetch-request.ts'
import type { FormPart } from './multipart.ts'
import { basicCredentials, type RequestAuth } from './request-auth.ts'

/** Characters that an event shows of a body. */
const EXCERPT_LENGTH = 10_000
/** A longer body is not looked through: of what may hold secrets under their names nothing is shown then. */
const LOOKED_THROUGH = 200_000
/** Parameters of addresses that hold credentials under short names. */
const CREDENTIAL_PARAMETERS = new Set(['key', 'sig', 'auth', 'code'])
/** Words of credentials from this length on are secrets by themselves: `Bearer` is none. */
const LEAST_WORD = 8

/**
 * The payload of `runtime.fetch.failed`. What is named like a secret in the request is hidden in it, and in the
 * answer, which may echo it; secrets of the run are hidden everywhere.
 */
export function failedFetch(
  request: FetchRequest,
  result: FetchAnswer | FetchFailure,
  secretsOfRun: Pick<SecretTexts, 'mask'>,
): Record<string, unknown> {
  const secrets = new Set<string>()
  const excerpt = (text: string) =>
    excerptWithout(String(secretsOfRun.mask(text.slice(0, LOOKED_THROUGH))), secrets, EXCERPT_LENGTH)
  const shown = requestShown(request, secrets, excerpt)
  if ('error' in result) {
    const { name, message } = result.error
    return { request: shown, error: { error: name, message } }
  }
  const answered = shownBody(beginningOf(result), new Headers(), secrets)
  const response = {
    status: result.status,
    headers: withoutSecretFields(result.headers, secrets),
    body: excerpt(answered),
  }
  return { request: shown, response }
}

/** A request as whoever looks at its run may see it, and the texts that nothing else may show either. */
export interface ShownRequest {
  readonly request: Readonly<Record<string, unknown>>
  readonly hidden: ReadonlySet<string>
}

export function shownRequest(request: FetchRequest): ShownRequest {
  const hidden = new Set<string>()
  const excerpt = (text: string) => excerptWithout(text.slice(0, LOOKED_THROUGH), hidden, EXCERPT_LENGTH)
  return { request: requestShown(request, hidden, excerpt), hidden }
}

function requestShown(
  request: FetchRequest,
  secrets: Set<string>,
  excerpt: (text: string) => string,
): Record<string, unknown> {
  const url = shownUrl(request.url, secrets)
  const headers = withoutSecretFields(Object.fromEntries(request.headers), secrets)
  for (const text of secretsOf(request.auth)) secrets.add(text)
  for (const text of [...secrets])
    for (const word of text.split(/\s+/)) if (word.length >= LEAST_WORD) secrets.add(word)
  const body = request.parts === undefined ? bodyShown(request, secrets) : shownParts(request.parts, secrets)
  return {
    url,
    method: request.method.toLowerCase(),
    headers,
    ...(body === undefined ? {} : { body: excerpt(body) }),
  }
}

const bodyShown = ({ body, headers }: FetchRequest, secrets: Set<string>): string | undefined =>
  body === undefined ? undefined : shownBody(body, headers, secrets)

/** The texts of a form by their names; of files how long they are. */
function shownParts(parts: readonly FormPart[], secrets: Set<string>): string {
  const fields = parts.map(({ name, content, isBase64, filename }) => [
    name,
    isBase64 || filename !== undefined ? `(${content.length} characters)` : content,
  ])
  return JSON.stringify(withoutSecretFields(Object.fromEntries(fields), secrets))
}

/** An answer may echo them. */
function secretsOf(auth: RequestAuth | undefined): string[] {
  if (auth?.kind === 'basic') return [auth.password, basicCredentials(auth)]
  if (auth?.kind === 'awsv4')
    return [auth.secretAccessKey, ...(auth.sessionToken === undefined ? [] : [auth.sessionToken])]
  return auth?.kind === 'oauth2' ? [auth.clientSecret] : []
}

const beginningOf = (answer: FetchAnswer): string =>
  textOf({ ...answer, bytes: answer.bytes.subarray(0, 2 * LOOKED_THROUGH) })

function shownUrl(url: URL, secrets: Set<string>): string {
  const shown = new URL(url)
  const parameters = Object.fromEntries(url.searchParams)
  const hidden = withoutSecretFields(parameters, secrets) as Record<string, string>
  for (const [name, value] of Object.entries(parameters)) {
    if (CREDENTIAL_PARAMETERS.has(name.toLowerCase())) secrets.add(value)
    else if (hidden[name] === value) continue
    shown.searchParams.set(name, REDACTED)
  }
  return shown.href
}

/** A body whose fields are shown without those that are named like a secret, where it has fields. */
function shownBody(body: string, headers: Headers, secrets: Set<string>): string {
  const isForm = headers.get('content-type')?.toLowerCase().includes('form-urlencoded') === true
  if (!isForm && !/^\s*[[{]/.test(body)) return body
  if (body.length > LOOKED_THROUGH) return `(${body.length} characters)`
  if (isForm) {
    const fields = withoutSecretFields(Object.fromEntries(new URLSearchParams(body)), secrets)
    return new URLSearchParams(fields as Record<string, string>).toString()
  }
  try {
    return JSON.stringify(withoutSecretFields(JSON.parse(body), secrets))
  } catch {
    return body
  }
}
