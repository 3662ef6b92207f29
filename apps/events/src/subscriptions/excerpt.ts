import { MAX_SECRET_CHARACTERS, REDACTED, SecretTexts } from '@platform/kernel'

/** Characters kept of what was sent and of what was answered. */
export const EXCERPT_LENGTH = 2048
/** Shorter texts are in everything. */
const LEAST_SECRET = 4
const secretKey =
  /pass(word|wd|phrase)?$|secret|token|authorization|api[-_]?key|private[-_]?key|credential|cookie|signature|^pin$|^cvv?c?$/i

/** The beginning of a request, with what is named like a secret hidden. `secrets` gets what was hidden. */
export function requestExcerpt(body: string, secrets: Set<string>): string {
  const value: unknown = JSON.parse(body)
  return JSON.stringify(hidden(value, secrets)).slice(0, EXCERPT_LENGTH)
}

function hidden(value: unknown, secrets: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => hidden(item, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (!secretKey.test(key) || item === null || typeof item === 'boolean')
        return [key, hidden(item, secrets)]
      collect(item, secrets)
      return [key, REDACTED]
    }),
  )
}

function collect(value: unknown, secrets: Set<string>): void {
  if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) collect(item, secrets)
  else if (typeof value === 'string' || typeof value === 'number') secrets.add(String(value))
}

/**
 * The beginning of an answer, without any of the secrets: an endpoint may echo what it was sent. Nothing of it is
 * shown where there are more secrets than can be looked for at once.
 */
export function responseExcerpt(text: string, secrets: ReadonlySet<string>): string {
  const wanted = new SecretTexts()
  let characters = 0
  for (const secret of secrets)
    for (const form of formsOf(secret)) {
      if (form.length < LEAST_SECRET) continue
      characters += form.length
      if (characters > MAX_SECRET_CHARACTERS) return REDACTED
      wanted.add(form)
    }
  return String(wanted.mask(text.replaceAll('\0', ''))).slice(0, EXCERPT_LENGTH)
}

/** As it is, and as JSON, JSON in JSON and a form write it. */
function formsOf(secret: string): Set<string> {
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
  return new Set([secret, inJson(secret), inJson(inJson(secret)), encodeURIComponent(secret)])
}
