import { scrub } from './redaction.ts'

const DEEPEST_CAUSE = 4
const MOST_ERRORS = 5

/**
 * Name, message, code, stack, causes and parts of an error, without credentials. Anything else that was thrown is its
 * text.
 */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return scrub(textOf(error))
  const { name, message, stack, cause } = error
  const { code } = error as { code?: unknown }
  const parts = error instanceof AggregateError ? error.errors.slice(0, MOST_ERRORS) : []
  const deeper = depth < DEEPEST_CAUSE
  return {
    name,
    message: scrub(message),
    ...(typeof code === 'string' ? { code } : {}),
    stack: scrub(stack ?? ''),
    ...(deeper && cause !== undefined ? { cause: describeError(cause, depth + 1) } : {}),
    ...(deeper && parts.length > 0 ? { errors: parts.map((part) => describeError(part, depth + 1)) } : {}),
  }
}

function textOf(value: unknown): string {
  try {
    return typeof value === 'object' ? (JSON.stringify(value) ?? 'undefined') : String(value)
  } catch {
    return 'a thrown value that has no text'
  }
}
