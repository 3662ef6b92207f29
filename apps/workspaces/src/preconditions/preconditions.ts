import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '@platform/kernel'

/** True when the caller has this state already (`If-None-Match`): 304 without a body will do (decisions A6). */
export const isUnchanged = (headers: IncomingHttpHeaders, etag: string): boolean =>
  tagsOf(headers['if-none-match']).some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag)

/** Throws PreconditionFailed when the caller names a state (`If-Match`) that is not the one there is. */
export function requireMatch(headers: IncomingHttpHeaders, etag: string): void {
  const tags = tagsOf(headers['if-match'])
  if (tags.length === 0 || tags.includes('*') || tags.includes(etag)) return
  const message = 'It has been changed since you read it: read it again and repeat your change.'
  throw new Failure('PreconditionFailed', message, { details: { etag } })
}

/** A tag holds no comma here, so a list is split at them. */
const tagsOf = (header: string | undefined): string[] =>
  (header ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
