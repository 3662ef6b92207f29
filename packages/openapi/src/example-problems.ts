import { isDeepStrictEqual } from 'node:util'
import type { Endpoint } from '@platform/contracts'
import type { z } from 'zod'

/**
 * What is wrong with the examples of an operation, as sentences: one is missing, or does not match the schema it is
 * an example of.
 */
export function exampleProblems(endpoint: Endpoint): string[] {
  const { id, body, bodyKind, example = {}, mediaTypes = ['application/json'], response } = endpoint
  const asks = body !== undefined && bodyKind !== 'bytes'
  const answers = mediaTypes.includes('application/json')
  return [
    ...(asks
      ? problemsOf(`request of ${id}`, `${id} has no example of its request.`, body, example.request)
      : []),
    ...(answers
      ? problemsOf(`response of ${id}`, `${id} has no example of its response.`, response, example.response)
      : []),
    ...(answers ? shownTooMuch(id, response, example.response) : []),
  ]
}

function problemsOf(what: string, missing: string, schema: z.ZodType, example: unknown): string[] {
  if (example === undefined) return [missing]
  const result = schema.safeParse(example)
  if (result.success) return []
  const issues = result.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim())
  return [`The example of the ${what} is wrong: ${issues.join('; ')}`]
}

/** An answer is what its schema leaves of it. */
function shownTooMuch(id: string, schema: z.ZodType, example: unknown): string[] {
  const result = schema.safeParse(example)
  const isWhole = !result.success || isDeepStrictEqual(result.data, example)
  return isWhole ? [] : [`The example of the response of ${id} shows what is never answered.`]
}
