import * as contracts from '@platform/contracts'
import { z } from 'zod'

/** Every schema the contracts export, by its name; these become the components that operations refer to. */
export const namedSchemas: ReadonlyMap<z.ZodType, string> = new Map(
  Object.entries<unknown>(contracts)
    .filter((entry): entry is [string, z.ZodType] => entry[1] instanceof z.ZodType)
    .map(([name, schema]) => [schema, name]),
)
