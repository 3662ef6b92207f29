import type { Endpoint } from '@platform/contracts'
import type { FailureBody } from '@platform/kernel'
import type { z } from 'zod'
import { OpsProblem, plain, type Terminal } from '../terminal.ts'
import { findPlatform, type Platform } from './find-platform.ts'

/** Verifying a long audit trail and making a large key take their time. */
const TIMEOUT_MS = 60_000

/**
 * Sends a request with the internal key; answers what came back as JSON. Throws OpsProblem when nothing, or nothing
 * of ours, does.
 */
export async function call(
  { baseUrl, internalKey }: Platform,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: {
      'x-platform-api-key': internalKey,
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

/** An answer that is no success, as a sentence. */
export function refusal(status: number, body: unknown): OpsProblem {
  const { message } = (body ?? {}) as Partial<FailureBody>
  if (status === 401)
    return new OpsProblem(
      'The platform refuses the internal key: INTERNAL_API_KEY is another one than it runs with.',
    )
  return new OpsProblem(typeof message === 'string' ? plain(message) : `The platform answered ${status}.`)
}
