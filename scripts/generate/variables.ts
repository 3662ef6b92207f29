import { z } from 'zod'

/** What services read of the environment, by their names; some read it part by part. */
export type Environments = Record<string, z.ZodType | readonly z.ZodType[]>

/** A variable of the environment, as its readers describe it. */
export interface Variable {
  name: string
  /** True where it may also be given as the path of a file. */
  isSecret: boolean
  isRequired: boolean
  /** Who reads it. */
  readers: string[]
  /** What counts without it; undefined where nothing does. */
  preset: unknown
  description: string
}

interface JsonVariable {
  default?: unknown
  description?: string
  secret?: boolean
}

/** Every variable by name; of several readers the first describes it. */
export function variablesOf(environments: Environments): Variable[] {
  const variables = new Map<string, Variable>()
  for (const [reader, schema] of schemasOf(environments)) {
    const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
    for (const [name, value] of Object.entries(properties)) {
      const described = describe(name, value as JsonVariable, required.includes(name))
      variables.set(name, joined(variables.get(name) ?? described, described, reader))
    }
  }
  return [...variables.values()].sort((a, b) => a.name.localeCompare(b.name))
}

const describe = (
  name: string,
  { default: preset, description = '', secret }: JsonVariable,
  isNeeded: boolean,
) => ({
  name,
  isSecret: secret === true,
  isRequired: isNeeded && preset === undefined,
  readers: [],
  preset,
  description,
})

const joined = (known: Variable, next: Variable, reader: string): Variable => ({
  ...known,
  isSecret: known.isSecret || next.isSecret,
  readers: [...new Set([...known.readers, reader])],
  description: known.description || next.description,
})

const schemasOf = (environments: Environments): [string, z.ZodType][] =>
  Object.entries(environments).flatMap(([reader, schemas]) =>
    [schemas].flat().map((schema): [string, z.ZodType] => [reader, schema]),
  )

/** A default as one would write it. */
export const presetText = (preset: unknown): string =>
  preset === undefined ? '' : typeof preset === 'string' ? preset : JSON.stringify(preset)
