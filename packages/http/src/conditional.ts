import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Failure } from '@platform/kernel'
import type { z } from 'zod'

/**
 * One tag of a list and what follows it (RFC 9110 8.8.3); a tag may hold commas, so the list can't be split at them.
 */
const entityTag = /[ \t]*(?:(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/y
const HASH_LENGTH = 27

interface Tag {
  isWeak: boolean
  /** With its quotes. */
  opaque: string
}

/** A strong tag of a representation: the same text has the same tag in every process. */
export const strongEtag = (text: string | Uint8Array): string =>
  `"${createHash('sha256').update(text).digest('base64url').slice(0, HASH_LENGTH)}"`

/**
 * The tag that GET sends for this value where its handler sets none; for `requireMatch` before a change.
 */
export const etagOf = (contract: { response: z.ZodType }, value: unknown): string =>
  strongEtag(JSON.stringify(contract.response.parse(value)))

/**
 * True when the caller has this state already (`If-None-Match`): 304 without a body will do. Compared weakly (RFC
 * 9110 13.1.2); a header that is no list of tags names none, so that the response is whole.
 */
export function isUnchanged(headers: IncomingHttpHeaders, etag: string): boolean {
  const given = headers['if-none-match']
  if (given === undefined) return false
  if (given.trim() === '*') return true
  return tagsOf(given)?.some(({ opaque }) => opaque === etag) === true
}

/**
 * Asked before a change of what has `etag` now, inside its transaction. Throws PreconditionFailed when `If-Match`
 * names other states only, or `If-None-Match` names this one; RequestValidationError when `If-Match` can't be read:
 * to ignore it could lose a change.
 * `isOfState` knows the tags of the same state at other addresses.
 */
export function requireMatch(
  headers: IncomingHttpHeaders,
  etag: string,
  isOfState = (opaque: string): boolean => opaque === etag,
): void {
  if (!isMatched(headers, isOfState)) {
    const message = 'It has been changed since you read it: read it again and repeat your change.'
    throw new Failure('PreconditionFailed', message, { details: { etag } })
  }
  if (isUnchanged(headers, etag)) {
    const message = 'There is already what If-None-Match says there must not be.'
    throw new Failure('PreconditionFailed', message, { details: { etag } })
  }
}

/** Compared strongly: a weak tag never matches (RFC 9110 13.1.1). */
function isMatched(headers: IncomingHttpHeaders, isOfState: (opaque: string) => boolean): boolean {
  const tags = ifMatchOf(headers)
  return tags === undefined || tags.some(({ isWeak, opaque }) => !isWeak && isOfState(opaque))
}

/**
 * For what has no tag: `If-Match` with tags can't be true of it. `*` only asks that it is there, which the handler
 * finds out.
 */
export function refuseTags(headers: IncomingHttpHeaders): void {
  if (headers['if-match'] === undefined || ifMatchOf(headers) === undefined) return
  throw new Failure('PreconditionFailed', 'This has no ETag: send the request without If-Match.')
}

/** undefined where anything matches. Throws RequestValidationError for what is no list of tags. */
function ifMatchOf(headers: IncomingHttpHeaders): Tag[] | undefined {
  const given = headers['if-match']
  if (given === undefined || given.trim() === '*') return undefined
  const tags = tagsOf(given)
  if (tags !== undefined && tags.length > 0) return tags
  const message = 'The header if-match must be "*" or entity tags in double quotes, with commas between them.'
  throw new Failure('RequestValidationError', message, {
    details: [{ path: 'headers.if-match', message: 'is no list of entity tags' }],
  })
}

/** undefined when it is no list of tags. Empty elements are skipped (RFC 9110 5.6.1.2). */
function tagsOf(header: string): Tag[] | undefined {
  const tags: Tag[] = []
  entityTag.lastIndex = 0
  while (entityTag.lastIndex < header.length) {
    const found = entityTag.exec(header)
    if (found === null) return undefined
    if (found[2] !== undefined) tags.push({ isWeak: found[1] !== undefined, opaque: found[2] })
  }
  return tags
}
