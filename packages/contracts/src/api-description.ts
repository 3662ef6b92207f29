import { z } from 'zod'
import { endpoint } from './endpoint.ts'

export const getApiDescription = endpoint({
  id: 'getApiDescription',
  summary: 'This description of the API: an OpenAPI 3.1 document.',
  service: 'api-gateway',
  credential: 'none',
  thirdParty: true,
  method: 'get',
  path: '/v2/openapi.json',
  response: z.looseObject({ openapi: z.string(), info: z.looseObject({ title: z.string() }) }),
  etag: true,
  failures: [],
  example: { response: { openapi: '3.1.0', info: { title: 'Platform API', version: '2' }, paths: {} } },
})

export const showDocs = endpoint({
  id: 'showDocs',
  summary: 'Shows the description of the API as pages, on which every operation can be tried.',
  service: 'api-gateway',
  credential: 'none',
  method: 'get',
  path: '/docs',
  response: z.string(),
  mediaTypes: ['text/html'],
  failures: [],
})

export const getDocsAsset = endpoint({
  id: 'getDocsAsset',
  summary:
    'A script, style or picture of the pages; its name changes with its content, so browsers keep it for good.',
  service: 'api-gateway',
  credential: 'none',
  method: 'get',
  path: '/docs/:asset',
  response: z.string(),
  mediaTypes: ['text/javascript', 'text/css', 'image/png'],
  etag: true,
  failures: ['ObjectNotFoundError'],
})
