import type { Endpoint } from '@platform/contracts'
import type { FailureBody } from '@platform/kernel'
import type { z } from 'zod'
import { OpsProblem, plain, type Terminal } from '../terminal.ts'
import { findApi, findPlatform, type Platform } from './find-platform.ts'

/** Verifying a long audit trail and making a large key take their time. */
const TIMEOUT_MS = 60_000

/** What shows who sends a request. */
type Credential = Readonly<Record<string, string>>

/**
 * Sends a request with the internal key; answers what came back as JSON. Throws OpsProblem when nothing, or nothing
 * of ours, does.
 */
export const call = (
  { baseUrl, internalKey }: Platform,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> =>
  send({ baseUrl, credential: { 'x-platform-api-key': internalKey } }, method, path, body)

async function send(
  { baseUrl, credential }: { readonly baseUrl: string; readonly credential: Credential },
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      ...credential,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw new OpsProblem(`Nothing answers at ${baseUrl}: start the platform, or set API_URL or PORT.`)
  })
  const text = await response.text()
  try {
    return { status: response.status, body: JSON.parse(text) }
  } catch {
    throw new OpsProblem(`What answers at ${baseUrl} is not the platform: check API_URL and PORT.`)
  }
}

/**
 * What a contract of the platform answers; `path` has its parameters filled in. Throws OpsProblem for anything else.
 */
export async function ask<Response extends z.ZodType>(
  terminal: Terminal,
  contract: Pick<Endpoint<string, z.ZodType, z.ZodType, Response>, 'method' | 'path' | 'response'>,
  { path = contract.path, body }: { path?: string; body?: unknown } = {},
): Promise<z.output<Response>> {
  const platform = findPlatform(terminal.env)
  const answer = await call(platform, contract.method.toUpperCase(), path, body)
  const { data, success } = contract.response.safeParse(answer.body)
  if (answer.status !== 200 || !success) throw refusal(answer.status, answer.body)
  return data
}

/** The same with the token of a user or an API key. Throws OpsProblem. */
export async function askAs<Response extends z.ZodType>(
  { env }: Terminal,
  token: string,
  contract: Pick<Endpoint<string, z.ZodType, z.ZodType, Response>, 'method' | 'path' | 'response'>,
  { path = contract.path, body }: { path?: string; body?: unknown } = {},
): Promise<z.output<Response>> {
  const credential = { authorization: `Bearer ${token}` }
  const answer = await send({ baseUrl: findApi(env), credential }, contract.method.toUpperCase(), path, body)
  const { data, success } = contract.response.safeParse(answer.body)
  if (answer.status === 200 && success) return data
  if (answer.status === 401)
    throw new OpsProblem(
      'The platform refuses the token: PLATFORM_TOKEN has ended, or is of another platform.',
    )
  throw refusal(answer.status, answer.body)
}

/** An answer that is no success, as a sentence. */
export function refusal(status: number, body: unknown): OpsProblem {
  const { message } = (body ?? {}) as Partial<FailureBody>
  if (status === 401)
    return new OpsProblem(
      'The platform refuses the internal key: INTERNAL_API_KEY is another one than it runs with.',
    )
  return new OpsProblem(
    typeof message === 'string' ? plain(message) : `The platform answered ${status}.`,
    status,
  )
}
