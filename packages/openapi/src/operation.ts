import type { Endpoint } from '@platform/contracts'
import { limitsOf } from './answer-headers.ts'
import type { Json } from './declared.ts'
import { headerParameters } from './header-parameters.ts'
import { pathParameters } from './path-parameters.ts'
import { queryParameters } from './query-parameters.ts'
import { requestBodyOf } from './request-body.ts'
import { responsesOf } from './responses.ts'
import type { SchemaBook } from './schema-book.ts'
import { securityOf } from './security.ts'
import { tagOf } from './tags.ts'

const LONGEST_SUMMARY = 120

/** One operation of the document, from its contract. */
export function operationOf(endpoint: Endpoint, method: string, operationId: string, book: SchemaBook): Json {
  const parameters = [
    ...pathParameters(endpoint.path),
    ...(endpoint.query === undefined ? [] : queryParameters(book.sent(endpoint.query))),
    ...headerParameters(endpoint, method),
  ]
  const limits = limitsOf(endpoint)
  return {
    operationId,
    ...words(endpoint.summary),
    tags: [tagOf(endpoint.path)],
    security: securityOf(endpoint, method),
    ...(limits.length === 0 ? {} : { 'x-rate-limits': limits }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBodyOf(endpoint, method, book),
    responses: responsesOf(endpoint, method, book),
  }
}

/** The first sentence is the summary; where there is more, all of it is the description. */
function words(text: string): Json {
  const [first = text] = text.split(/(?<=[.:;]) /)
  const summary = first.replace(/[.:;]$/, '').slice(0, LONGEST_SUMMARY)
  return text === first ? { summary } : { summary, description: text }
}
