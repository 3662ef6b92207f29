import { isRecord } from '@platform/kernel'
import type { Json } from './declared.ts'

const WHOLE_NUMBER = /^\^\\d\{1,(\d+)\}\$$/

/**
 * The parameters of a query from its JSON schema: what is repeated is an array, digits are a number, free names are
 * an object.
 */
export function queryParameters(query: Json): Json[] {
  const { properties = {}, required = [], additionalProperties } = query
  const parameters = Object.entries(properties as Record<string, Json>).map(([name, property]) => {
    const { description, ...schema } = property
    return {
      name,
      in: 'query',
      required: (required as string[]).includes(name),
      ...(description === undefined ? {} : { description }),
      schema: asNumber(schema),
    }
  })
  return isRecord(additionalProperties) ? [...parameters, freeNames(additionalProperties)] : parameters
}

/** A query is text: the contract checks digits, the reader sees a number. */
function asNumber(schema: Json): Json {
  const { type, pattern, ...rest } = schema
  const digits = typeof pattern === 'string' ? WHOLE_NUMBER.exec(pattern)?.[1] : undefined
  if (type !== 'string' || digits === undefined) return schema
  return { type: 'integer', minimum: 0, maximum: 10 ** Number(digits) - 1, ...rest }
}

const freeNames = (values: Json): Json => ({
  name: 'filters',
  in: 'query',
  description: 'Any other name: a condition on the field it names.',
  style: 'form',
  explode: true,
  schema: { type: 'object', additionalProperties: values },
})
