import type { IncomingMessage } from 'node:http'
import { decodeUtf8, mediaTypeOf, readBody } from '@platform/http'
import { Failure } from '@platform/kernel'

const LIMIT_BYTES = 16_384

/** The fields of a submitted form. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  if (mediaTypeOf(request) !== 'application/x-www-form-urlencoded')
    throw new Failure('UnsupportedMediaType', 'Send the form as application/x-www-form-urlencoded.')
  return new URLSearchParams(decodeUtf8(await readBody(request, LIMIT_BYTES)))
}
