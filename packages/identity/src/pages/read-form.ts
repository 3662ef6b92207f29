import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { decodeUtf8, mediaTypeOf, readBody } from '@platform/http'
import { Failure } from '@platform/kernel'

const MEDIA_TYPE = 'application/x-www-form-urlencoded'
const LIMIT_BYTES = 16_384

/** True for a request whose body is a submitted form. */
export const isForm = (request: IncomingMessage): boolean => mediaTypeOf(request) === MEDIA_TYPE

/** The fields of a submitted form. Rejects with RequestValidationError when one holds a NUL: no store keeps it. */
export async function readForm(
  request: IncomingMessage,
  limitBytes: number = LIMIT_BYTES,
): Promise<URLSearchParams> {
  if (!isForm(request)) throw new Failure('UnsupportedMediaType', `Send the form as ${MEDIA_TYPE}.`)
  const form = new URLSearchParams(decodeUtf8(await readBody(request, limitBytes)))
  for (const [name, value] of form) {
    if (name.includes('\u0000') || value.includes('\u0000'))
      throw new Failure(
        'RequestValidationError',
        'The form holds a NUL character, which no text here may have.',
      )
  }
  return form
}

/**
 * False when a browser says that another site sent the request. What is no browser says nothing and holds no cookies
 * of a victim, so it may pass.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, origins: readonly string[]): boolean {
  const { origin } = headers
  if (origin !== undefined) return origins.includes(origin)
  const site = headers['sec-fetch-site']
  return site === undefined || site === 'same-origin' || site === 'none'
}
