import type { Endpoint, OtherAnswer } from '@platform/contracts'
import { type FailureName, failures } from '@platform/kernel'
import { successHeaders } from './answer-headers.ts'
import type { Json } from './declared.ts'
import { failureResponse, failureResponses } from './failure-responses.ts'
import { failuresOf } from './failures-of.ts'
import type { SchemaBook } from './schema-book.ts'

const NOT_JSON_SCHEMA: Json = { type: 'string', contentMediaType: 'application/octet-stream' }

/** Every answer of an operation by its status: success, other answers, failures. */
export function responsesOf(endpoint: Endpoint, method: string, book: SchemaBook): Json {
  const names = failuresOf(endpoint, method)
  const responses: Json = failureResponses(names)
  const isPaged = Object.keys(querySchema(endpoint, book)).includes('page')
  const status = String(endpoint.status ?? 200)
  responses[status] = {
    description: Number(status) < 300 ? 'Done.' : 'Leads on.',
    headers: successHeaders(endpoint, isPaged),
    ...contentOf(endpoint, book),
  }
  if (endpoint.etag && method === 'get')
    responses['304'] = {
      description: 'It is still what the caller knows.',
      headers: { ...successHeaders({ ...endpoint, status: 200 }, false) },
    }
  for (const other of endpoint.otherAnswers ?? [])
    responses[String(other.status)] = otherAnswer(endpoint, other, names, book)
  return responses
}

const querySchema = ({ query }: Endpoint, book: SchemaBook): Json =>
  query === undefined ? {} : ((book.sent(query).properties ?? {}) as Json)

function contentOf(endpoint: Endpoint, book: SchemaBook): Json {
  const { mediaTypes = ['application/json'], response, example } = endpoint
  if (mediaTypes.length === 0) return {}
  const shown = example?.response === undefined ? {} : { example: example.response }
  const content = mediaTypes.map((type): [string, Json] =>
    type === 'application/json'
      ? [type, { schema: book.answered(response), ...shown }]
      : [type, { schema: schemaOfText(type) }],
  )
  return { content: Object.fromEntries(content) }
}

/** OpenAPI 3.1 has no word for the items of a stream: its schema is that of one event, as tools read it. */
const STREAMED_EVENT: Json = {
  type: 'object',
  description: 'One of the server-sent events (WHATWG HTML, 9.2).',
  properties: {
    id: { type: 'string' },
    event: { type: 'string' },
    data: { type: 'string', contentMediaType: 'application/json' },
    retry: { type: 'integer', description: 'Milliseconds.' },
  },
}

function schemaOfText(mediaType: string): Json {
  if (mediaType === 'text/event-stream') return STREAMED_EVENT
  return mediaType.startsWith('text/') ? { type: 'string' } : NOT_JSON_SCHEMA
}

/** A status of a failure may also carry something else: then either is possible. */
function otherAnswer(
  endpoint: Endpoint,
  other: OtherAnswer,
  names: readonly FailureName[],
  book: SchemaBook,
): Json {
  const { summary, response, mediaType, status } = other
  const same = names.filter((name) => failures[name] === status)
  const failure = same.length === 0 ? {} : failureResponse(same)
  const content: Json = { ...((failure.content ?? {}) as Json) }
  if (mediaType !== undefined) content[mediaType] = { schema: { type: 'string' } }
  if (response !== undefined) content['application/json'] = either(book.answered(response), content)
  const headers = successHeaders({ ...endpoint, status }, false)
  const description = [summary, failure.description].filter((words) => words !== undefined).join(' ')
  return { description, headers, ...(Object.keys(content).length === 0 ? {} : { content }) }
}

/** A body of this schema, or of the one that stands there already. */
function either(schema: Json, content: Json): Json {
  const { schema: before, ...media } = (content['application/json'] ?? {}) as Json
  return before === undefined ? { schema } : { schema: { anyOf: [schema, before] }, ...media }
}
