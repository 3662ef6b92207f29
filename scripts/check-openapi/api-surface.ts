type Json = Record<string, unknown>

interface Document {
  paths: Record<string, Record<string, Json>>
  components: Json
}

/**
 * What callers of an API rely on, one line each: operations, what they take, what they ask for and what they answer,
 * for example
 * `GET /v2/me answers 200 .id string required`. Sorted, without words and examples, so that two lists can be compared.
 */
export function apiSurface(document: Document): string[] {
  const lines = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      operationLines(`${method.toUpperCase()} ${path}`, operation, document),
    ),
  )
  return [...new Set(lines)].sort()
}

function operationLines(name: string, operation: Json, document: Document): string[] {
  const resolved = (value: unknown): Json => resolve(value, document)
  const parameters = list(operation.parameters).map((one) => {
    const { in: place, name: parameter, required, schema } = resolved(one)
    return `${name} takes ${place} ${parameter} ${typeOf(resolved(schema))}${required ? ' required' : ''}`
  })
  const body = resolved(operation.requestBody ?? {})
  const asks = contentLines(`${name} asks`, body, document)
  const answers = Object.entries(operation.responses as Json).flatMap(([status, response]) =>
    Number(status) < 400
      ? [
          `${name} answers ${status}`,
          ...contentLines(`${name} answers ${status}`, resolved(response), document),
        ]
      : [],
  )
  return [name, ...parameters, ...asks, ...answers]
}

const contentLines = (prefix: string, { content = {} }: Json, document: Document): string[] =>
  Object.entries(content as Record<string, Json>).flatMap(([type, { schema }]) =>
    type === 'application/json' ? fieldLines(prefix, '', schema, document, []) : [`${prefix} as ${type}`],
  )

/** The fields of a schema and of what is in them; what refers to itself is followed once. */
function fieldLines(
  prefix: string,
  field: string,
  schema: unknown,
  document: Document,
  seen: readonly unknown[],
): string[] {
  const reference = (schema as Json | undefined)?.$ref
  if (reference !== undefined && seen.includes(reference)) return []
  const inner = [...seen, reference]
  const { properties = {}, required = [], items, anyOf, oneOf } = resolve(schema, document)
  const fields = Object.entries(properties as Json).flatMap(([name, property]) => {
    const here = `${field}.${name}`
    const mark = (required as string[]).includes(name) ? ' required' : ''
    return [
      `${prefix} ${here} ${typeOf(resolve(property, document))}${mark}`,
      ...fieldLines(prefix, here, property, document, inner),
    ]
  })
  const elements = items === undefined ? [] : fieldLines(prefix, `${field}[]`, items, document, inner)
  const choices = [...list(anyOf), ...list(oneOf)].flatMap((choice, index) =>
    fieldLines(prefix, `${field}|${index}`, choice, document, inner),
  )
  return [...fields, ...elements, ...choices]
}

function typeOf({ type, enum: values, const: only, anyOf }: Json): string {
  if (Array.isArray(values)) return `one of ${values.join(',')}`
  if (only !== undefined) return `only ${only}`
  return String(type ?? (anyOf === undefined ? 'any' : 'several'))
}

function resolve(value: unknown, document: Document): Json {
  const { $ref, ...rest } = (value ?? {}) as Json
  if (typeof $ref !== 'string') return rest
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((inner, key) => (inner as Json)[key], document)
  return { ...resolve(found, document), ...rest }
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
