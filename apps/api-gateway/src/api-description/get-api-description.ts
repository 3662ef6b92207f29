import { getApiDescription as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import type { ApiDescription } from './api-description.ts'
import { sendEncoded } from './send-encoded.ts'

/** GET /v2/openapi.json — the same for everybody, so caches in between may keep it. */
export const getApiDescription = ({ description }: { description: ApiDescription }) =>
  route(endpoint, {
    handle: ({ request }) =>
      sendEncoded(description(), request.headers['accept-encoding'], {
        contentType: 'application/json; charset=utf-8',
        cacheControl: 'public, max-age=300',
      }),
  })
