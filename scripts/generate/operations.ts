import type { Endpoint } from '@platform/contracts'
import { failures } from '@platform/kernel'
import { z } from 'zod'

/** `/v2/x/:id/*rest` in the notation of OpenAPI. */
export const pathOf = (path: string): string => path.replace(/[:*](\w+)/g, '{$1}')

const schemaOf = (schema: z.ZodType, io: 'input' | 'output') => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

const security: Record<string, Record<string, never[]>[]> = {
  none: [],
  optional: [{}, { bearer: [] }, { cookie: [] }, { apiKey: [] }],
  required: [{ bearer: [] }, { cookie: [] }],
}

/** One operation of the document, from its contract. */
export function operationOf(endpoint: Endpoint, operationId: string): Record<string, unknown> {
  const parameters = [...pathParameters(endpoint.path), ...queryParameters(endpoint.query)]
  return {
    operationId,
    summary: endpoint.summary,
    tags: [endpoint.service],
    security: security[endpoint.credential ?? 'none'],
    ...(endpoint.scope === undefined ? {} : { 'x-scope': endpoint.scope }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(endpoint),
    responses: {
      [String(endpoint.status ?? 200)]: {
        description: 'Success.',
        content: { 'application/json': { schema: schemaOf(endpoint.response, 'output') } },
      },
      ...failureResponses(endpoint),
    },
  }
}

function requestBody(endpoint: Endpoint): Record<string, unknown> {
  if (endpoint.body === undefined) return {}
  if (endpoint.bodyKind === 'bytes') return { requestBody: { content: { '*/*': { schema: {} } } } }
  const schema = schemaOf(endpoint.body, 'input')
  const content = { 'application/json': { schema } }
  const yaml = endpoint.bodyKind === 'automation' ? { 'application/yaml': { schema } } : {}
  return {
    requestBody: { required: !endpoint.body.safeParse(undefined).success, content: { ...content, ...yaml } },
  }
}

const pathParameters = (path: string) =>
  [...path.matchAll(/[:*](\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))

function queryParameters(query: z.ZodType | undefined): Record<string, unknown>[] {
  if (query === undefined) return []
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input', unrepresentable: 'any' })
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = schema as { description?: string }
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description ? { description } : {}),
      schema: rest,
    }
  })
}

/** One response a status; several names of one status share it. */
function failureResponses(endpoint: Endpoint): Record<string, unknown> {
  const byStatus = Map.groupBy(endpoint.failures, (name) => String(failures[name]))
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [
      status,
      {
        description: names.join(', '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
      },
    ]),
  )
}
