import type { FailureBody } from '@platform/kernel'
import { OpsProblem, plain } from '../terminal.ts'
import type { Platform } from './find-platform.ts'

const TIMEOUT_MS = 15_000

/** Sends a request with the internal key; answers what came back as JSON. Throws OpsProblem when nothing, or nothing of ours, does. */
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

/** An answer that is no success, as a sentence. */
export function refusal(status: number, body: unknown): OpsProblem {
  const { message } = (body ?? {}) as Partial<FailureBody>
  if (status === 401)
    return new OpsProblem(
      'The platform refuses the internal key: INTERNAL_API_KEY is another one than it runs with.',
    )
  return new OpsProblem(typeof message === 'string' ? plain(message) : `The platform answered ${status}.`)
}
