const REDACTED = 'REDACTED'

/** Shorter secrets are only recognised when they are the whole text: "a" is in everything. */
const MIN_PART = 4

/** `value` without the secrets: whole texts and parts of texts. Answers the same object when there is nothing to hide. */
export function masked(value: unknown, secrets: ReadonlySet<string>): unknown {
  if (secrets.size === 0) return value
  if (typeof value === 'string') return maskedText(value, secrets)
  if (Array.isArray(value)) return value.map((item) => masked(item, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [maskedText(key, secrets), masked(item, secrets)]),
  )
}

function maskedText(text: string, secrets: ReadonlySet<string>): string {
  let clean = text
  for (const secret of secrets) {
    if (clean === secret) return REDACTED
    if (secret.length >= MIN_PART && clean.includes(secret)) clean = clean.replaceAll(secret, REDACTED)
  }
  return clean
}

/** A copy of `value` without what is at `path`. */
export function withoutPath(value: unknown, path: readonly string[], at = 0): unknown {
  const key = path[at]
  if (key === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
    return value
  const copy: Record<string, unknown> = { ...value }
  if (at === path.length - 1) delete copy[key]
  else copy[key] = withoutPath(copy[key], path, at + 1)
  return copy
}

/** The texts at `path` of `value`. */
export function textsAt(value: unknown, path: readonly string[]): string[] {
  let current = value
  for (const key of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return []
    current = Reflect.get(current, key)
  }
  return typeof current === 'string' && current !== '' ? [current] : []
}
