import { z } from 'zod'

interface Variable {
  name: string
  services: string[]
  preset: string
  description: string
}

/** One table of every variable: who reads it, its default, what it means. */
export function configurationPage(services: Record<string, z.ZodType | readonly z.ZodType[]>): string {
  const variables = new Map<string, Variable>()
  for (const [service, schema] of schemasOf(services)) {
    const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
    for (const [name, value] of Object.entries(properties)) {
      const { default: preset, description } = value as { default?: unknown; description?: string }
      const known = variables.get(name)
      variables.set(name, {
        name,
        services: [...new Set([...(known?.services ?? []), service])],
        preset: known?.preset ?? presetText(preset, required.includes(name)),
        description: known?.description || description || '',
      })
    }
  }
  const rows = [...variables.values()]
    .sort((a, b) => a.name.localeCompare(b.name))
    .map(
      ({ name, services: readers, preset, description }) =>
        `| \`${name}\` | ${readers.join(', ')} | ${preset} | ${inCell(description)} |`,
    )
  const head =
    '# Configuration\n\nGenerated from the configuration of each service. Every process reads ' +
    'its environment once, at its start.\n'
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
