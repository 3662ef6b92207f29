import { getApiDescription as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { describeApi } from '@platform/openapi'
import { EncodedBody, sendEncoded } from './encoded-body.ts'

/**
 * GET /v2/openapi.json — the same for all callers, so caches in between may store it. It is made once, when it is
 * asked for first: starting does not wait for it.
 */
export const getApiDescription = ({ origin }: { origin: string }) => {
  let made: EncodedBody | undefined
  return route(endpoint, {
    handle: ({ request }) => {
      made ??= new EncodedBody(Buffer.from(JSON.stringify(describeApi({ origin }))))
      return sendEncoded(made, request.headers['accept-encoding'], {
        contentType: 'application/json; charset=utf-8',
        cacheControl: 'public, max-age=300',
      })
    },
  })
}
