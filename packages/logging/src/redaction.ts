const secretKeys = [
  'authorization',
  'cookie',
  'token',
  'password',
  'secret',
  'apiKey',
  '["x-platform-api-key"]',
  '["set-cookie"]',
]

/** Paths pino censors, at the top and one level down. */
export const redactedPaths: string[] = secretKeys.flatMap((key) => [
  key.startsWith('[') ? key : key,
  key.startsWith('[') ? `*${key}` : `*.${key}`,
])

const credentials: [RegExp, string][] = [
  [/eyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, '[jwt]'],
  [/\bat:[0-9A-Za-z]{20,}/g, '[access token]'],
  [/\biak_[\w-]{1,80}_[0-9a-f-]{36}/g, '[api key]'],
  [/\bwhsec_[\w+/=-]+/g, '[webhook secret]'],
  [/(\w+:\/\/)[^\s/@:]+:[^\s/@]+@/g, '$1[credentials]@'],
]

/** A text without the credentials it may hold: JWTs, access tokens, API keys, passwords in URLs. */
export const scrub = (text: string): string =>
  credentials.reduce((clean, [pattern, replacement]) => clean.replace(pattern, replacement), text)
