import { Failure } from '@platform/kernel'

/**
 * Refuses a query that is read differently by everybody who reads it, or that no text column can hold. Throws
 * RequestValidationError for a NUL, for a broken percent-encoding and for one that is no UTF-8. `search` begins with
 * the question mark, or is empty.
 */
export function requireReadableQuery(search: string): void {
  if (!search.includes('%')) return
  if (decode(search).includes('\u0000'))
    throw new Failure(
      'RequestValidationError',
      'The query holds a NUL character, which no text here may have.',
    )
}

function decode(search: string): string {
  try {
    return decodeURIComponent(search)
  } catch {
    throw new Failure('RequestValidationError', 'The query is not properly percent-encoded UTF-8.')
  }
}
