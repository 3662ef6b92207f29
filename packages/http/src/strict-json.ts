import { Failure } from '@platform/kernel'
import { inspectStructure, refuseCostly } from './json-structure.ts'

/** Characters that may be parsed whatever they are: even if all of them are brackets that takes a few milliseconds. */
const LONG = 10_000

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * JSON as the platform accepts it (decisions A9): UTF-8, no duplicate or prototype keys, no lone surrogates, no NUL,
 * no number beyond what a double holds, at most 64 levels and 10,000 keys. Throws RequestValidationError with a
 * sentence.
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  const text = decodeUtf8(bytes)
  if (text.length > LONG) refuseCostly(text)
  const value = parse(text)
  if (typeof value === 'object' && value !== null) inspectStructure(text)
  if (text.includes('\\u') || perhapsHuge.test(text)) inspectValues(value)
  return value
}

/** Only a number with such an exponent, or as many digits before a shorter one, can be more than a double holds. */
const perhapsHuge = /[eE]\+?\d{3}|\d{200}/

/** Text of a body; invalid UTF-8 and NUL bytes are refused. */
export function decodeUtf8(bytes: Uint8Array): string {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw invalid('The body is not valid UTF-8.')
  }
  if (text.includes('\u0000')) throw invalid('The body holds a NUL character, which no text here may have.')
  return text
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw invalid(`The body is not valid JSON: ${reasonOf(error)}.`)
  }
}

/** What V8 says, without the piece of the body it quotes: that may be a secret. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  const position = /at position \d+/.exec(message)?.[0]
  const what = message.split(/ in JSON|, | at position/, 1)[0]?.replace(/'/g, '"') ?? ''
  if (what === '' || message.length > 1000) return 'syntax error'
  return position === undefined ? what : `${what} ${position}`
}

/**
 * Escapes can smuggle in what the raw bytes can't: NUL and lone surrogates. A number that is Infinity would be kept
 * as null.
 */
function inspectValues(value: unknown): void {
  if (typeof value === 'string') {
    inspectText(value)
    return
  }
  if (value === Infinity || value === -Infinity)
    throw invalid('A number of the body is larger than any number here may be.')
  if (typeof value !== 'object' || value === null) return
  for (const [name, item] of Object.entries(value)) {
    inspectText(name)
    inspectValues(item)
  }
}

function inspectText(text: string): void {
  if (text.includes('\u0000'))
    throw invalid('A text of the body holds a NUL character, which no text here may have.')
  if (!text.isWellFormed()) throw invalid('A text of the body holds half of a surrogate pair.')
}

const invalid = (message: string) => new Failure('RequestValidationError', message)
