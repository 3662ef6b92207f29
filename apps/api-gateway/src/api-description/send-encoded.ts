import { type RouteResponse, respond } from '@platform/http'
import type { EncodedBody } from './encoded-body.ts'

interface Shown {
  contentType: string
  cacheControl: string
  headers?: Record<string, string>
}

/** Answers bytes in the coding the client takes. */
export async function sendEncoded(
  body: EncodedBody,
  acceptEncoding: string | string[] | undefined,
  { contentType, cacheControl, headers = {} }: Shown,
): Promise<RouteResponse> {
  const { bytes, etag, encoding } = await body.for(String(acceptEncoding ?? ''))
  const coded = encoding === undefined ? undefined : { 'content-encoding': encoding }
  return respond(bytes, {
    contentType,
    // A copy that was made for nobody's page says nothing of origins: it must not be given to a page.
    headers: { 'cache-control': cacheControl, vary: 'accept-encoding, origin', etag, ...coded, ...headers },
  })
}
