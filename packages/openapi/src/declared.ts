import * as contracts from '@platform/contracts'
import { isRecord } from '@platform/kernel'
import { z } from 'zod'

/** A JSON object of the document. */
export type Json = Record<string, unknown>

const isEndpoint = (value: unknown): value is contracts.Endpoint =>
  isRecord(value) && 'method' in value && 'path' in value && 'response' in value

/** Every operation the contracts declare, the internal ones included, sorted by path. */
export const declaredEndpoints: readonly contracts.Endpoint[] = Object.values<unknown>(contracts)
  .filter(isEndpoint)
  .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))

/** Every schema the contracts export, by its name; these become the components that operations refer to. */
export const namedSchemas: ReadonlyMap<z.ZodType, string> = new Map(
  Object.entries<unknown>(contracts)
    .filter((entry): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType)
    .map(([name, schema]) => [schema, name]),
)
