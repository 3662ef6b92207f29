/** A condition on a document; three interpreters read it: matches(document), toSql and (OpenSearch) toQuery. */
export type Filter =
  | { all: Filter[] }
  | { any: Filter[] }
  | { not: Filter }
  /** Dotted path of a field, for example `payload.order.id`; equal to the text form of one of the values. */
  | { path: string; in: readonly (string | number | boolean | null)[] }
  /** `*` stands for any characters. */
  | { path: string; like: string }
  | { path: string; missing: true }
  | {
      path: string
      above?: string | number
      below?: string | number
      atLeast?: string | number
      atMost?: string | number
    }
  /**
   * Every word of the text (words.ts) is the beginning of a word of the document; no word at all matches everything.
   */
  | { text: string }

/** The keys of a dotted path; `\.` is a dot that belongs to a key, `\\` a backslash. */
export function keysOf(path: string): string[] {
  const keys: string[] = []
  let key = ''
  for (const part of path.match(/\\[.\\]|./gs) ?? []) {
    if (part === '.') {
      keys.push(key)
      key = ''
    } else key += part.length === 2 ? part.slice(1) : part
  }
  return [...keys, key]
}

/** PostgreSQL stores neither a NUL character nor half of a surrogate pair: no stored text equals one with these. */
export const isStorable = (text: string | number): boolean =>
  typeof text === 'number' || (!text.includes('\0') && text.isWellFormed())

/** A leaf of a document or a value of a filter. */
export type Scalar = string | number | boolean | null

export const isScalar = (value: unknown): value is Scalar =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

/** What is left of a value in JSON; undefined where nothing is. What is in it may be more than JSON has still. */
export function asJson(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'function' || typeof value === 'symbol') return undefined
  if (typeof value !== 'object' || value === null) return value
  const { toJSON } = value as { toJSON?: unknown }
  return typeof toJSON === 'function' ? asJson(toJSON.call(value)) : value
}

/** The text form of a value, by which `5` and `"5"` are equal; numbers are written out, as PostgreSQL writes them. */
export const textOf = (value: Scalar): string =>
  typeof value !== 'number' || Number.isSafeInteger(value) ? String(value) : writeOut(value)

function writeOut(value: number): string {
  const text = String(Object.is(value, -0) ? 0 : value)
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (match === null) return text
  const [, sign = '', first = '', fraction = '', exponent = '0'] = match
  const digits = first + fraction
  const point = 1 + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return `${sign}${digits.padEnd(point, '0')}`
}
