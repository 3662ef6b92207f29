const TAG = /(?:W\/)?"[^"]*"/g

/** A representation of its own has a tag of its own: `"abc"` in v3 is `"abc;v3"`. */
export const tagOf = (tag: string, representation: string): string =>
  tag.endsWith('"') ? `${tag.slice(0, -1)};${representation}"` : tag

/**
 * The tags of a condition (If-Match, If-None-Match) as the handlers know them. A tag of another representation
 * matches nothing: it is marked so that it keeps its place in the list without meaning anything.
 */
export function conditionOf(value: string, representation: string): string {
  const ending = `;${representation}"`
  return value.replaceAll(TAG, (tag) =>
    tag.endsWith(ending) ? `${tag.slice(0, -ending.length)}"` : `${tag.slice(0, -1)};other"`,
  )
}
