import { isRecord } from '@platform/kernel'
import type { Json } from './declared.ts'

/** Formats that say more to a reader than the expression zod checks them by. */
const formats = new Set(['date-time', 'date', 'uuid', 'email', 'uri'])

/**
 * The JSON schema of zod without what only a validator needs: identifiers, expressions of known formats, empty rules.
 */
export function plainSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainSchema)
  if (!isRecord(value)) return value
  const { $schema: _, $id: __, ...schema } = value
  if (hidesPattern(schema)) delete schema.pattern
  if (isRecord(schema.propertyNames) && Object.keys(schema.propertyNames).join() === 'type')
    delete schema.propertyNames
  return Object.fromEntries(Object.entries(schema).map(([key, inner]) => [key, plainInner(key, inner)]))
}

/** Examples and defaults are values, not schemas. */
const plainInner = (key: string, inner: unknown): unknown =>
  key === 'default' || key === 'example' || key === 'const' || key === 'enum' ? inner : plainSchema(inner)

/** Classes of Unicode are read by few generators; what they check is said by the format or the description. */
const hidesPattern = ({ pattern, format }: Json): boolean =>
  typeof pattern === 'string' && (formats.has(String(format)) || pattern.includes('\\p{'))
