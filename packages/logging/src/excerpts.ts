import { MAX_SECRET_CHARACTERS, REDACTED, SecretTexts } from './secret-texts.ts'

/** Shorter texts are in everything. */
const LEAST_SECRET = 4
const secretKey = new RegExp(
  'pass(word|wd|phrase)?$|secret|token|authorization|api[-_]?key|private[-_]?key|' +
    'credential|cookie|signature|^pin$|^cvv?c?$',
  'i',
)

/** A value whose fields with the name of a secret are hidden; `secrets` gets what was hidden. */
export function withoutSecretFields(value: unknown, secrets: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutSecretFields(item, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (!secretKey.test(key) || item === null || typeof item === 'boolean')
        return [key, withoutSecretFields(item, secrets)]
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
 * The first `length` characters of what was answered, without any of the secrets: an endpoint may echo what it was
 * sent. Nothing of it is shown where there are more secrets than can be looked for at once.
 */
export function excerptWithout(text: string, secrets: ReadonlySet<string>, length: number): string {
  const wanted = new SecretTexts()
  let characters = 0
  for (const secret of secrets)
    for (const form of formsOf(secret)) {
      if (form.length < LEAST_SECRET) continue
      characters += form.length
      if (characters > MAX_SECRET_CHARACTERS) return REDACTED
      wanted.add(form)
    }
  return String(wanted.mask(text.replaceAll('\0', ''))).slice(0, length)
}

/** As it is, and as JSON, JSON in JSON and a form write it. */
function formsOf(secret: string): Set<string> {
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
  return new Set([secret, inJson(secret), inJson(inJson(secret)), encodeURIComponent(secret)])
}
