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
