import { Failure } from '@platform/kernel'
import { z } from 'zod'

/** A path with the values it may have, and where it was asked for. */
export interface AskedPath {
  path: string
  values: string[]
  place: string
}

const Value = z.union([z.string().max(500), z.number(), z.boolean(), z.null()])
const Paths = z.record(z.string().max(300), z.union([Value, z.array(Value).max(50)]))

/**
 * The paths of the parameter `query`, for example `{"payload.city": ["Lyon", "Lille"]}`. Throws
 * RequestValidationError.
 */
export function readPaths(text: string): AskedPath[] {
  const read = Paths.safeParse(parsed(text))
  if (!read.success) throw refusal()
  return Object.entries(read.data).map(([path, values]) => ({
    path,
    values: [values].flat().map((value) => (value === null ? '' : String(value))),
    place: `query.query.${path}`,
  }))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refusal()
  }
}

function refusal(): Failure {
  const message =
    'The query parameter "query" must be a JSON object of paths and values, such as {"payload.city": ["Lyon", "L*"]}.'
  return new Failure('RequestValidationError', message, { details: [{ path: 'query.query', message }] })
}
