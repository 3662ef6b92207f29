type Values = Readonly<Record<string, unknown>>

const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/%(?:2[789A]|21)/g, decodeURIComponent)

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const written = (value: unknown): string =>
  ['string', 'boolean', 'bigint'].includes(typeof value) || Number.isFinite(value)
    ? escaped(String(value))
    : ''

function stringify(values: Values | null | undefined, separator = '&', assigns = '='): string {
  return Object.entries(values ?? {})
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((one) => escaped(name) + assigns + written(one)),
    )
    .join(separator)
}

function parse(text: string, separator = '&', assigns = '='): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = Object.create(null)
  for (const part of String(text).split(separator)) {
    if (part === '') continue
    const [name, value] = pairOf(part.replace(/\+/g, ' '), assigns)
    const before = values[name]
    values[name] = before === undefined ? value : [before, value].flat()
  }
  return values
}

function pairOf(part: string, assigns: string): [name: string, value: string] {
  const at = part.indexOf(assigns)
  return at < 0
    ? [unescaped(part), '']
    : [unescaped(part.slice(0, at)), unescaped(part.slice(at + assigns.length))]
}

/** The module. */
export const querystring = {
  parse,
  stringify,
  escape: escaped,
  unescape: unescaped,
  decode: parse,
  encode: stringify,
}
