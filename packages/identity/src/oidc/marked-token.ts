/** A character no JWT begins with. */
const MARK = '~'

/** The JWT behind a mark; undefined for what has none. */
export const unmarked = (token: string): string | undefined =>
  token.startsWith(MARK) ? token.slice(MARK.length) : undefined

/**
 * The server refuses to introspect or revoke whatever looks like a JWT, because it keeps none. Ours have a session
 * row, so it can be done: a mark before the token lets it through to the adapter, which knows what to do with it.
 */
export function markToken(form: URLSearchParams): void {
  const token = form.getAll('token')
  if (token.length === 1 && token[0]?.startsWith('eyJ') === true) form.set('token', MARK + token[0])
}
