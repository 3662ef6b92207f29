export interface FieldSchema {
  type?: unknown
  const?: unknown
  enum?: unknown[]
  anyOf?: FieldSchema[]
  description?: string
  items?: FieldSchema
  properties?: Record<string, FieldSchema>
  required?: string[]
  additionalProperties?: unknown
  [keyword: string]: unknown
}

/**
 * Rows of a table about the fields of a schema; those of objects inside are told with their path, `*` is always
 * there.
 */
export function fieldRows(schema: unknown, path = ''): string[] {
  const { properties = {}, required = [] } = Object(schema) as FieldSchema
  return Object.entries(properties).flatMap(([name, field]) => {
    const star = required.includes(name) ? '*' : ''
    const meaning = (field.description ?? '').replaceAll('|', '\\|')
    const [inside, between] = insideOf(field)
    return [
      `| ${path}${name}${star} | ${typeOf(field).replaceAll('|', '\\|')} | ${meaning} |`,
      ...fieldRows(inside, `${path}${name}${between}`),
    ]
  })
}

/** What has fields in a field, and what stands between their names: items of a list, and objects by any names. */
function insideOf(field: FieldSchema): readonly [FieldSchema, string] {
  if (field.items?.properties !== undefined) return [field.items, '[].']
  const named = objectsByName(field)
  return named === undefined ? [field, '.'] : [named, '.{name}.']
}

function objectsByName({ additionalProperties }: FieldSchema): FieldSchema | undefined {
  const named = Object(additionalProperties) as FieldSchema
  return named.properties === undefined ? undefined : named
}

function typeOf(schema: FieldSchema): string {
  if (schema.const !== undefined) return `\`${String(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (schema.anyOf !== undefined)
    return [...new Set(schema.anyOf.flatMap((one) => typeOf(one).split(' or ')))].join(' or ')
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`
  if (objectsByName(schema) !== undefined) return 'objects by their names'
  if (schema.type === 'object' && schema.properties === undefined) return 'open object'
  return [schema.type ?? 'anything'].flat().join(' or ')
}
