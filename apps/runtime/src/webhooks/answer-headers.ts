import { validateHeaderName, validateHeaderValue } from 'node:http'
import { invalidInstruction } from '../instructions/instruction.ts'

/** Headers of an answer, names in lower case. */
export type AnswerHeaders = Record<string, string | string[]>

/** Most headers an automation may set, and characters of all of them: a proxy on the way refuses more. */
const MAX_HEADERS = 50
const MAX_CHARACTERS = 8_000

/**
 * What is decided by the connection, or for everything that the address of the API serves: with a cookie of its own an
 * automation could sign its visitors in as somebody else.
 */
const reserved = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'alt-svc',
  'clear-site-data',
  'public-key-pins',
  'service-worker-allowed',
  'set-cookie',
  'strict-transport-security',
])

const isReserved = (name: string): boolean =>
  reserved.has(name) || name.startsWith('x-platform-') || name.startsWith('access-control-')

/** `headers` with one more. Nothing takes it away. Throws InvalidInstructionError. */
export function withHeader(headers: AnswerHeaders, rawName: string, value: unknown): AnswerHeaders {
  const name = rawName.toLowerCase()
  const { [name]: _, ...others } = headers
  if (value === undefined || value === null) return others
  if (isReserved(name)) throw invalidInstruction(`The header "${name}" can't be set by an automation.`)
  const next = { ...others, [name]: Array.isArray(value) ? value.map(textOf) : textOf(value) }
  try {
    validateHeaderName(name)
    for (const text of [next[name] ?? []].flat()) validateHeaderValue(name, text)
  } catch {
    throw invalidInstruction(`The header "${name.slice(0, 60)}" has characters that no header may have.`)
  }
  const characters = Object.entries(next).reduce(
    (sum, [key, texts]) => sum + key.length + texts.toString().length,
    0,
  )
  if (Object.keys(next).length > MAX_HEADERS || characters > MAX_CHARACTERS)
    throw invalidInstruction(
      `$http.headers may hold ${MAX_HEADERS} headers and ${MAX_CHARACTERS} characters in all.`,
    )
  return next
}

function textOf(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  throw invalidInstruction('A value of $http.headers must be a text, a number or a list of texts.')
}

/** Types of which a browser shows nothing that could act in the name of its user. */
const inert = new RegExp(
  `^(${[
    'application/(json|pdf|zip|octet-stream|x-ndjson)',
    'text/(plain|csv|event-stream)',
    'image/(png|jpeg|gif|webp|avif)',
    'audio/.+',
    'video/.+',
  ].join('|')})$`,
)

const SANDBOX =
  'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts allow-top-navigation'

/**
 * What an automation serves stands at the address of the API, where browsers are signed in. A page of it gets an origin
 * of its own, so that its scripts can't act for who visits it.
 */
export function sandboxed(headers: AnswerHeaders, contentType: string): AnswerHeaders {
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (inert.test(mediaType)) return headers
  const own = headers['content-security-policy'] ?? []
  return { ...headers, 'content-security-policy': [SANDBOX, ...[own].flat()] }
}
