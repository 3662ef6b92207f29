/**
 * A reference in a text, also where an address or a form has it in percent signs. The letters of the rest are left
 * alone by both; it ends with a dot, so that other letters may follow.
 */
export const REFERENCE = /(?:\$|%24)secret(?::|%3a)([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]{40,4000})\./gi

/** A shorter value is in everything: it is concealed only where it is the whole text. */
const LEAST_PART = 4

/** The references in texts, and the ids of their keys. */
export const referencesIn = (texts: readonly string[]): Map<string, string> =>
  new Map(
    texts.flatMap((text) => [...text.matchAll(REFERENCE)]).map(([, id = '', bytes = '']) => [bytes, id]),
  )

/** How a value is written where it is put. */
export type Shape = (value: string) => string

export const asItIs = <T>(value: T): T => value

const inJson: Shape = (value) => JSON.stringify(value).slice(1, -1)

/** How a value stands in a body of this type. */
export function bodyShape(contentType: string | null): Shape {
  const type = contentType?.toLowerCase() ?? ''
  if (type.includes('form-urlencoded')) return encodeURIComponent
  return type.includes('json') ? inJson : asItIs
}

/** A text with values in place of references; those that have none stay. */
export const fillText = (text: string, values: ReadonlyMap<string, string>, shape: Shape): string =>
  text.replaceAll(REFERENCE, (written, _, bytes: string) => {
    const value = values.get(bytes)
    return value === undefined ? written : shape(value)
  })

/** Headers with values in place of references, or a sentence why there can be none. */
export function fillHeaders(given: Headers, values: ReadonlyMap<string, string>): Headers | string {
  const headers = new Headers(given)
  try {
    for (const [name, value] of given) headers.set(name, fillText(value, values, asItIs))
  } catch {
    return 'A secret that is used in a header has characters that no header may have.'
  }
  return headers
}

/** How a value may stand in what is shown, also in JSON that is part of a text of JSON. */
export const formsOf = (value: string): string[] => [
  value,
  encodeURIComponent(value),
  inJson(value),
  inJson(inJson(value)),
]

/** Puts references where a value repeats what they stand for. */
export function concealer(
  values: ReadonlyMap<string, string>,
  keyIds: ReadonlyMap<string, string>,
): (value: unknown) => unknown {
  const references = new Map(
    [...values].flatMap(([bytes, value]) =>
      formsOf(value).map((form) => [form, `$secret:${keyIds.get(bytes)}.${bytes}.`]),
    ),
  )
  return (value) => concealed(value, references)
}

function concealed(value: unknown, references: ReadonlyMap<string, string>): unknown {
  if (references.size === 0) return value
  if (typeof value === 'string') return concealedText(value, references)
  if (Array.isArray(value)) return value.map((item) => concealed(item, references))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, concealed(item, references)]))
}

function concealedText(text: string, references: ReadonlyMap<string, string>): string {
  let shown = references.get(text) ?? text
  for (const [secret, reference] of references)
    if (secret.length >= LEAST_PART && secret !== text) shown = shown.replaceAll(secret, () => reference)
  return shown
}
