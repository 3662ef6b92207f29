import type { EventContract } from '@platform/contracts'
import { z } from 'zod'

interface Schema {
  type?: string | undefined
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  description?: string
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: unknown
}

/** `docs/events.md`: every native event with when it comes and what its payload holds. */
export function eventsPage(events: readonly EventContract[]): string {
  const areas = Map.groupBy(events, ({ type }) => type.split('.')[0] ?? type)
  const contents = [...areas].map(
    ([area, members]) =>
      `- **${area}**: ${members.map(({ type }) => `[${type}](#${anchorOf(type)})`).join(', ')}`,
  )
  const parts = [
    '# Native events',
    'Generated from packages/contracts: what each event of the platform carries in `payload`. Nobody else can emit these types. A field with `*` is always there; open objects may hold more than is told.',
    contents.join('\n'),
    ...events.map(sectionOf),
  ]
  return `${parts.join('\n\n')}\n`
}

function sectionOf({ type, emittedWhen, everyInstance, payload }: EventContract): string {
  const heard = everyInstance === true ? ' Every instance of the platform hears of it at once.' : ''
  const schema = z.toJSONSchema(payload, { unrepresentable: 'any', io: 'output' }) as Schema
  const rows = rowsOf(schema, '')
  const open = schema.additionalProperties === false ? '' : '\n\nThe payload is open: it may hold more.'
  const table = rows.length === 0 ? '' : `\n\n| Field | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}`
  return `## ${type}\n\n${emittedWhen}${heard}${table}${open}`
}

/** Fields of objects inside are told with their path. */
function rowsOf(schema: Schema, path: string): string[] {
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const star = required.has(name) ? '*' : ''
    const meaning = (field.description ?? '').replaceAll('|', '\\|')
    const inside = field.items?.properties === undefined ? field : field.items
    const insidePath = inside === field ? `${path}${name}.` : `${path}${name}[].`
    return [
      `| ${path}${name}${star} | ${typeOf(field).replaceAll('|', '\\|')} | ${meaning} |`,
      ...rowsOf(inside, insidePath),
    ]
  })
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${String(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`
  if (schema.type === 'object' && schema.properties === undefined) return 'open object'
  return schema.type ?? 'anything'
}

/** As the pages of repositories make anchors of headings. */
const anchorOf = (type: string): string => type.toLowerCase().replace(/[^a-z0-9-]/g, '')
