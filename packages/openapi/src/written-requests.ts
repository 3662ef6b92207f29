import type { Json } from './declared.ts'

/** A parameter of the query. */
export const query = (
  name: string,
  required: boolean,
  description: string,
  schema: Json = { type: 'string' },
): Json => ({
  name,
  in: 'query',
  required,
  description,
  schema,
})

/** A body that is sent as a form. */
export const form = (properties: Json, required: string[], example: Json): Json => ({
  required: true,
  content: {
    'application/x-www-form-urlencoded': { schema: { type: 'object', properties, required }, example },
  },
})
