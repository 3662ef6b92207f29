// docs/openapi.json from the contracts that validate requests and filter answers (ADR 0008).
import { writeFileSync } from 'node:fs'
import { ACCESS_TOKEN_COOKIE, headers } from '@platform/contracts'
import { failures } from '@platform/kernel'
import { z } from 'zod'
import { endpoints } from './generate/declared.ts'
import { operationOf, pathOf } from './generate/operations.ts'

const verbs = ['get', 'post', 'put', 'patch', 'delete'] as const
const published = endpoints.filter(({ credential }) => credential !== 'internal')

const paths: Record<string, Record<string, unknown>> = {}
for (const endpoint of published.sort((a, b) => a.path.localeCompare(b.path))) {
  const path = pathOf(endpoint.path)
  const methods = endpoint.method === 'all' ? verbs : [endpoint.method]
  for (const method of methods) {
    paths[path] = {
      ...paths[path],
      [method]: operationOf(endpoint, methods.length > 1 ? `${endpoint.id}By${method}` : endpoint.id),
    }
  }
}

const document = {
  openapi: '3.1.0',
  info: {
    title: 'Platform API',
    version: '2',
    summary: 'Build and run automations, pages and agents inside workspaces.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: 'http://localhost:3001', description: 'A platform started with npm start.' }],
  tags: ['api-gateway', 'workspaces', 'runtime', 'events'].map((name) => ({ name })),
  paths,
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'A JWT, or an access token (at:…).' },
      cookie: { type: 'apiKey', in: 'cookie', name: ACCESS_TOKEN_COOKIE },
      apiKey: { type: 'apiKey', in: 'header', name: headers.apiKey },
    },
    schemas: {
      Failure: z.toJSONSchema(
        z.object({
          error: z.enum(Object.keys(failures) as [string]),
          message: z.string(),
          details: z.unknown().optional(),
        }),
      ),
    },
  },
}

writeFileSync('docs/openapi.json', `${JSON.stringify(document, null, 2)}\n`)
console.log(`docs/openapi.json: ${published.length} endpoints`)
