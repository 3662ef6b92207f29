import type { Endpoint } from '@platform/contracts'
import { failures, isRecord } from '@platform/kernel'
import { headerComponents } from './answer-headers.ts'
import { declaredEndpoints, type Json } from './declared.ts'
import { failureExamples } from './failure-examples.ts'
import { failureComponents } from './failure-responses.ts'
import { parameterComponents } from './header-parameters.ts'
import { instructionComponents } from './instruction-schemas.ts'
import { oidcPaths, oidcSchemas } from './oidc-paths.ts'
import { operationOf } from './operation.ts'
import { openApiPath } from './path-parameters.ts'
import { probePaths } from './probe-paths.ts'
import { type SchemaBook, schemaBook } from './schema-book.ts'
import { securitySchemes } from './security.ts'
import { tagDescriptions } from './tags.ts'

const verbs = ['get', 'post', 'put', 'patch', 'delete'] as const

/** What the description says of the installation it is asked of. */
export interface ApiAddress {
  /** Where the API answers, without `/v2`, for example `https://api.example.com`; `/` for wherever the document is. */
  origin: string
}

/**
 * The OpenAPI 3.1 document of every operation but the internal ones, made from the contracts that validate requests
 * and filter answers. Takes some tens of milliseconds: make it once.
 */
export function describeApi(
  { origin }: ApiAddress,
  endpoints: readonly Endpoint[] = declaredEndpoints,
): Json {
  const published = endpoints.filter(({ credential }) => credential !== 'internal')
  const book = schemaBook(published)
  const paths = { ...oidcPaths, ...probePaths, ...contractPaths(published, book) }
  const steps = instructionComponents(book)
  const schemas = {
    Failure: failureSchema,
    ...oidcSchemas,
    ...book.components(),
    ...steps,
  }
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: origin, description: 'This platform.' }],
    tags: Object.entries(tagDescriptions).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes,
      schemas,
      ...referredTo(paths),
    },
  }
}

const info = {
  title: 'Platform API',
  version: '2',
  summary: 'Build and run automations, pages and agents inside workspaces.',
  description:
    'Every failure has the same shape: a stable name, a sentence, sometimes details. Every answer carries ' +
    '`x-correlation-id`, which names the request in the log.',
  license: { name: 'MIT', identifier: 'MIT' },
}

const failureSchema: Json = {
  description: 'What went wrong, in one shape everywhere.',
  type: 'object',
  properties: {
    error: { type: 'string', description: 'Stable name.', enum: Object.keys(failures) },
    message: { type: 'string', description: 'One sentence for people; it may change.' },
    details: { description: 'What the failure is about; its shape belongs to the name.' },
  },
  required: ['error', 'message'],
}

function contractPaths(published: readonly Endpoint[], book: SchemaBook): Record<string, Json> {
  const paths: Record<string, Json> = {}
  for (const endpoint of published) {
    const path = openApiPath(endpoint.path)
    const methods = endpoint.method === 'all' ? verbs : [endpoint.method]
    for (const method of methods) {
      const id = methods.length > 1 ? `${endpoint.id}By${method}` : endpoint.id
      paths[path] = { ...paths[path], [method]: operationOf(endpoint, method, id, book) }
    }
  }
  return paths
}

/** The components the paths refer to, and those they refer to in turn; others would only be in the way. */
function referredTo(paths: Record<string, Json>): Json {
  const responses = failureComponents(references(paths))
  const used = references({ paths, responses })
  const kinds = { parameters: parameterComponents, headers: headerComponents, examples: failureExamples }
  const picked = Object.entries(kinds).map(([kind, all]) => [
    kind,
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`#/components/${kind}/${name}`))),
  ])
  return { responses, ...Object.fromEntries(picked) }
}

function references(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const inner of value) references(inner, found)
  else if (isRecord(value)) {
    if (typeof value.$ref === 'string') found.add(value.$ref)
    for (const inner of Object.values(value)) references(inner, found)
  }
  return found
}
