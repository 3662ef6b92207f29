import { type Endpoint, limits } from '@platform/contracts'
import type { Json } from './declared.ts'
import type { SchemaBook } from './schema-book.ts'

/** What a caller sends: JSON, an automation as JSON or YAML, or bytes. Empty where there is no body. */
export function requestBodyOf(endpoint: Endpoint, method: string, book: SchemaBook): Json {
  const { body, bodyKind, bodyLimitBytes = limits.bodyBytes } = endpoint
  if (body === undefined || (endpoint.method === 'all' && method === 'get')) return {}
  const description = `At most ${bodyLimitBytes.toLocaleString('en')} bytes.`
  if (bodyKind === 'bytes') return { requestBody: { description, content: bytesOf(endpoint) } }
  const required = bodyKind === 'automation' || !body.safeParse(undefined).success
  return { requestBody: { description, required, content: textOf(endpoint, body, book) } }
}

const bytesOf = ({ bodyMediaTypes = ['*/*'], example }: Endpoint): Json =>
  Object.fromEntries(
    bodyMediaTypes.map((type) => [
      type,
      {
        schema: isForm(type) ? { type: 'object', additionalProperties: true } : {},
        ...(example?.request === undefined ? {} : { example: example.request }),
      },
    ]),
  )

const isForm = (type: string): boolean =>
  type === 'multipart/form-data' || type === 'application/x-www-form-urlencoded'

function textOf(
  { bodyKind, example }: Endpoint,
  body: NonNullable<Endpoint['body']>,
  book: SchemaBook,
): Json {
  const schema = book.sent(body)
  const media = { schema, ...(example?.request === undefined ? {} : { example: example.request }) }
  return {
    'application/json': media,
    ...(bodyKind === 'automation' ? { 'application/yaml': media } : {}),
  }
}
