import { z } from 'zod'

/** What is noted of variables of which there may be any number: how their names begin. */
interface FamilyNote {
  family: string
}

/**
 * Any number of variables whose names begin alike; a configuration has their values by their names. The name it stands
 * under in a schema is for documents alone: `<…>` in it says what follows the beginning.
 */
export const family = (beginning: string) =>
  z
    .record(z.string(), z.string())
    .optional()
    .meta({ family: beginning } satisfies FamilyNote)

const known = new WeakMap<z.ZodType, ReadonlyMap<string, string>>()

/** How the variables of each family of a schema begin, by the name the family has there. */
export function familiesOf(schema: z.ZodType): ReadonlyMap<string, string> {
  const found = known.get(schema) ?? readFamilies(schema)
  known.set(schema, found)
  return found
}

function readFamilies(schema: z.ZodType): ReadonlyMap<string, string> {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return new Map(
    Object.entries(properties).flatMap(([name, property]) => {
      const { family: beginning } = property as Partial<FamilyNote>
      return beginning === undefined ? [] : [[name, beginning] as const]
    }),
  )
}

/** The variables of an environment that belong to a family. Empty means unset. */
export const membersOf = (
  beginning: string,
  env: Readonly<Record<string, string | undefined>>,
): [name: string, value: string][] =>
  Object.entries(env).filter(
    (one): one is [string, string] => one[0].startsWith(beginning) && (one[1] ?? '') !== '',
  )
