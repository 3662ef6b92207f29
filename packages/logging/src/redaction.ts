const secretKeys = [
  'authorization',
  'cookie',
  'token',
  'password',
  'secret',
  'apiKey',
  'internalApiKey',
  '["x-platform-api-key"]',
  '["x-platform-internal-key"]',
  '["x-platform-csrf-token"]',
  '["set-cookie"]',
]

/** Paths pino censors, at the top and one level down (`headers.authorization`). */
export const redactedPaths: string[] = secretKeys.flatMap((key) => [
  key,
  key.startsWith('[') ? `*${key}` : `*.${key}`,
])

const credentials: [RegExp, string][] = [
  [/\beyJ[\w-]{5,}(\.[\w-]*)*/g, '[jwt]'],
  [/\bat:[0-9A-Za-z]{20,}/g, '[access token]'],
  [/\biak_[\w-]{8,}/g, '[api key]'],
  [/\bwhsec_[\w+/=-]+/g, '[webhook secret]'],
  [/\b(bearer|basic)\s+[\w.~+/:-]{8,}=*/gi, '$1 [credential]'],
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:]*:[^\s/]*@/gi, '$1[credentials]@'],
]

/** Longer texts are cut: they are not read, and looking through them would block the process. */
const LONGEST_TEXT = 16_000

/**
 * A text without the credentials it may hold: JWTs, access tokens, API keys, passwords in URLs. Cut after 16,000
 * characters.
 */
export const scrub = (text: string): string =>
  credentials.reduce(
    (clean, [pattern, replacement]) => clean.replace(pattern, replacement),
    text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text,
  )
