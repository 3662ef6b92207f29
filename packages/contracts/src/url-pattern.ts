/** What stands between two slashes of the pattern of a URL: a text, `:name` for one part or `*name` for several. */
export type UrlPart = { readonly literal: string } | { readonly name: string; readonly many: boolean }

/** A colon or star is a parameter only at the start of a part and before a name: `a:b` and `:` are what they say. */
export function urlPartOf(text: string): UrlPart {
  const name = text.slice(1)
  if (name === '' || !/^[:*]/.test(text)) return { literal: text }
  return { name, many: text.startsWith('*') }
}

/** The parts of a pattern or path; slashes at its ends count for nothing. */
export const urlPartsOf = (pattern: string): UrlPart[] =>
  withoutEdgeSlashes(pattern).split('/').map(urlPartOf)

export const withoutEdgeSlashes = (path: string): string => {
  let start = 0
  let end = path.length
  while (path.charAt(start) === '/') start += 1
  while (end > start && path.charAt(end - 1) === '/') end -= 1
  return path.slice(start, end)
}

/** True for patterns that take the same URLs, such as `users/:id` and `users/:name`. */
export const isSameUrlPattern = (a: string, b: string): boolean => shapeOf(a) === shapeOf(b)

const shapeOf = (pattern: string): string => urlPartsOf(pattern).map(shapeOfPart).join('/')

const shapeOfPart = (part: UrlPart): string =>
  'literal' in part ? `=${part.literal}` : part.many ? '*' : ':'
