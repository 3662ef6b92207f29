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
function bodyShape(contentType: string | null): Shape {
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

/** A body with values in place of references, as they stand in one of this type: a whole body that is one as it is. */
export const fillBody = (
  body: string,
  values: ReadonlyMap<string, string>,
  contentType: string | null,
): string => fillText(body, values, isWhole(body) ? asItIs : bodyShape(contentType))

const isWhole = (body: string): boolean => {
  const [[whole] = []] = [...body.matchAll(REFERENCE)]
  return whole === body.trim()
}

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

/** A part of base64 that is shorter may be of anything. */
const LEAST_CODED = 8

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** How others write a value that they repeat: in forms and pages, in JSON of other languages, as bytes. */
const repeatedForms = (value: string): string[] => [
  ...formsOf(value),
  encodeURIComponent(value).replaceAll("'", '%27'),
  new URLSearchParams({ a: value }).toString().slice(2),
  inJson(value).replaceAll('/', '\\/'),
  inJson(value).replaceAll(/[^ -~]/g, escapedUnit),
  value.replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? one),
  Buffer.from(value).toString('latin1'),
]

const escapedUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * What base64 makes of a value, whatever stands before and behind it: the characters that depend on the value alone.
 * They are three, because base64 writes three bytes at once.
 */
function codedForms(value: string): string[] {
  const bytes = Buffer.from(value)
  return [0, 1, 2]
    .map((before) => {
      const whole = Buffer.concat([Buffer.alloc(before), bytes])
        .toString('base64')
        .replace(/=+$/, '')
      const end = Math.floor(((before + bytes.length) * 8) / 6)
      return whole.slice(Math.ceil((before * 8) / 6), end)
    })
    .filter((form) => form.length >= LEAST_CODED)
    .flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
}

/** What stands where an answer repeats something that was made of a secret. */
const HIDDEN = 'REDACTED'

/** Puts references where a value repeats what they stand for, and hides what was made of it. */
export function concealer(
  values: ReadonlyMap<string, string>,
  keyIds: ReadonlyMap<string, string>,
  made: readonly string[] = [],
): (value: unknown) => unknown {
  const pairs = [...values].flatMap(([bytes, value]) => {
    const reference = `$secret:${keyIds.get(bytes)}.${bytes}.`
    return [
      ...codedForms(value).map(hidden),
      ...repeatedForms(value).map((form) => [form, reference] as const),
    ]
  })
  const longestFirst = [...pairs, ...made.map(hidden)].toSorted(([one], [other]) => other.length - one.length)
  const shown = new Map(longestFirst)
  return shown.size === 0 ? asItIs : (value) => concealed(value, shown)
}

const hidden = (text: string) => [text, HIDDEN] as const

function concealed(value: unknown, shown: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return concealedText(value, shown)
  if (Array.isArray(value)) return value.map((item) => concealed(item, shown))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [concealedText(key, shown), concealed(item, shown)]),
  )
}

function concealedText(given: string, shown: ReadonlyMap<string, string>): string {
  let text = shown.get(given) ?? given
  for (const [secret, instead] of shown)
    if (secret.length >= LEAST_PART && secret !== given) text = text.replaceAll(secret, () => instead)
  return text
}
