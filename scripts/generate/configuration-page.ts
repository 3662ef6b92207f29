import { z } from 'zod'

interface Variable {
  name: string
  /** True where it may also be given as the path of a file. */
  isSecret: boolean
  services: string[]
  preset: string
  description: string
}

interface JsonVariable {
  default?: unknown
  description?: string
  secret?: boolean
}

/** One table of every variable: who reads it, its default, what it means. */
export function configurationPage(services: Record<string, z.ZodType | readonly z.ZodType[]>): string {
  const variables = new Map<string, Variable>()
  for (const [service, schema] of schemasOf(services)) {
    const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
    for (const [name, value] of Object.entries(properties)) {
      const { default: preset, description, secret } = value as JsonVariable
      const known = variables.get(name)
      variables.set(name, {
        name,
        isSecret: known?.isSecret === true || secret === true,
        services: [...new Set([...(known?.services ?? []), service])],
        preset: known?.preset ?? presetText(preset, required.includes(name)),
        description: known?.description || description || '',
      })
    }
  }
  const rows = [...variables.values()]
    .sort((a, b) => a.name.localeCompare(b.name))
    .map(
      ({ name, isSecret, services: readers, preset, description }) =>
        `| \`${name}\`${isSecret ? `, \`${name}_FILE\`` : ''} | ${readers.join(', ')} | ${preset} | ${inCell(description)} |`,
    )
  const head =
    '# Configuration\n\nGenerated from the configuration of each service. Every process reads ' +
    'its environment once, at its start. An empty variable is an unset one.\n\n' +
    'A variable that holds a secret may be given as a file: `<name>_FILE` is a path, and the content of that file, ' +
    'without a last line feed, is the value. Given both ways, or with a file that can’t be read, no process starts. ' +
    '`DATABASE_PASSWORD`, `CACHE_PASSWORD`, `BROKER_PASSWORD` and `SEARCH_PASSWORD` belong to the user in the URL ' +
    'beside them, which has no password then.\n'
  return `${head}\n| Variable | Read by | Default | Meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`
}

/** Some services read their environment part by part. */
const schemasOf = (services: Record<string, z.ZodType | readonly z.ZodType[]>): [string, z.ZodType][] =>
  Object.entries(services).flatMap(([service, schemas]) =>
    [schemas].flat().map((schema): [string, z.ZodType] => [service, schema]),
  )

const presetText = (preset: unknown, required: boolean): string => {
  if (preset === undefined) return required ? 'required' : ''
  const text = typeof preset === 'string' ? preset : JSON.stringify(preset)
  return text === '' ? '' : `\`${inCell(text)}\``
}

const inCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
