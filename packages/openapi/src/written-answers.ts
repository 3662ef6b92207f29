import { failureHeaders } from './answer-headers.ts'
import type { Json } from './declared.ts'

/** Answers of operations that no contract declares. */
export const json = (description: string, schema: Json, example: unknown, headers: Json = {}): Json => ({
  description,
  headers: { ...failureHeaders(''), ...headers },
  content: { 'application/json': { schema, example } },
})

/** A page or nothing at all. */
export const page = (description: string): Json => ({
  description,
  headers: failureHeaders(''),
  content: { 'text/html': { schema: { type: 'string' } } },
})

/** A redirect. */
export const redirect = (description: string): Json => ({
  description,
  headers: { ...failureHeaders(''), Location: { $ref: '#/components/headers/Location' } },
})

/** What the OIDC server can not do: a page for browsers, JSON for others. */
export const failedPage = (description: string): Json => ({
  description,
  headers: failureHeaders(''),
  content: {
    'text/html': { schema: { type: 'string' } },
    'application/json': { schema: { $ref: '#/components/schemas/OAuthError' } },
  },
})
