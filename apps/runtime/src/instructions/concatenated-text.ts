import { isRecord } from '@platform/kernel'

type Segments = readonly (string | number)[]

/** Most levels a path leads through. */
const MAX_DEPTH = 20

/** A chunk that has the text of all chunks so far. */
export interface Concatenated {
  readonly chunk: unknown
  readonly text: string
}

/**
 * A chunk with the text of all chunks so far where it has its own part of it. The path leads through the data of a
 * server-sent event, or names it (`data[0].delta`); a chunk that is a text is a part as a whole. Undefined for a chunk
 * that has no place for it, such as `[DONE]`.
 */
export function withTextAt(chunk: unknown, path: Segments, before: string): Concatenated | undefined {
  if (typeof chunk === 'string') return { chunk: before + chunk, text: before + chunk }
  const hasData = isRecord(chunk) && Array.isArray(chunk.data) && path[0] !== 'data'
  const segments = (hasData ? ['data', 0, ...path] : path).slice(0, MAX_DEPTH)
  const own = segments.reduce<unknown>(partOf, chunk)
  const text = typeof own === 'string' ? before + own : before
  const whole = withPart(chunk, segments, text)
  return whole === undefined ? undefined : { chunk: whole, text }
}

const partOf = (value: unknown, segment: string | number): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, segment)
    ? (value as Readonly<Record<string | number, unknown>>)[segment]
    : undefined

/** A copy as far as the path leads; undefined where that is through what has no parts. */
function withPart(value: unknown, [segment, ...rest]: Segments, text: string): unknown {
  if (segment === undefined) return typeof value === 'object' && value !== null ? undefined : text
  const part = withPart(partOf(value, segment), rest, text)
  if (part === undefined) return undefined
  if (isRecord(value)) return { ...value, [segment]: part }
  return Array.isArray(value) && Object.hasOwn(value, segment) ? value.with(Number(segment), part) : undefined
}
