import { limits } from '@platform/contracts'
import { Failure } from '@platform/kernel'

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const SPACE = 0x20

/** Characters that may be parsed whatever they are: even if all of them are brackets that takes a few milliseconds. */
const LONG = 10_000

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * JSON as the platform accepts it: UTF-8, no duplicate or prototype keys, no lone surrogates, no NUL,
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

/**
 * Looks at the keys and the depth of a text that JSON.parse has accepted: it silently keeps the last of two equal
 * keys, so the value can't tell. One pass; only strings and brackets matter. Throws RequestValidationError.
 */
function inspectStructure(text: string): void {
  const structure = new Structure()
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = structure.readString(text, at)
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) structure.enter(code)
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) structure.leave()
  }
}

/**
 * Looks at the depth and the number of keys of a text before it is parsed: one that is nested a million times, or has
 * a hundred thousand keys, takes JSON.parse a quarter of a second, in which no other request is answered. A text that
 * is no JSON is left to the parser.
 */
function refuseCostly(text: string): void {
  const costs = new Costs()
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code !== QUOTE) costs.note(code)
    else at = endOfString(text, at)
    if (at < 0) return
  }
}

class Costs {
  #depth = 0
  #keys = 0

  note(code: number): void {
    if (code === COLON) this.#keys += 1
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) this.#depth += 1
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) this.#depth -= 1
    else return
    if (this.#depth > limits.jsonDepth) throw tooDeep()
    if (this.#keys > limits.jsonKeys) throw tooManyKeys()
  }
}

/** Where the pass is: the keys of each object it is inside of, null before the first; arrays have none. */
class Structure {
  readonly #open: (Set<string> | null | undefined)[] = []
  #keys = 0

  enter(code: number): void {
    if (this.#open.length >= limits.jsonDepth) throw tooDeep()
    this.#open.push(code === OPEN_BRACE ? null : undefined)
  }

  leave(): void {
    this.#open.pop()
  }

  /** Answers the index of the string's last quote. */
  readString(text: string, start: number): number {
    const end = endOfString(text, start)
    if (isKey(text, end)) this.#addKey(nameOf(text, start, end))
    return end
  }

  #addKey(name: string): void {
    const siblings = this.#siblings()
    if (name === '__proto__' || name === 'constructor')
      throw invalid(`The body has a key "${name}", which is not allowed.`)
    if (siblings?.has(name))
      throw invalid(`The body has the key "${name.slice(0, 100)}" twice in one object.`)
    siblings?.add(name)
    this.#keys += 1
    if (this.#keys > limits.jsonKeys) throw tooManyKeys()
  }

  /** Most objects of a long list are never looked into twice: their set is made when there is something to hold. */
  #siblings(): Set<string> | undefined {
    const last = this.#open.length - 1
    const known = this.#open[last]
    if (known !== null) return known
    const made = new Set<string>()
    this.#open[last] = made
    return made
  }
}

/**
 * Index of the quote that ends the string which begins at `start`: the first with an even number of backslashes
 * before it.
 */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (text.charCodeAt(end - 1) === BACKSLASH) {
    let first = end - 1
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1
    if ((end - first) % 2 === 0) break
    end = text.indexOf('"', end + 1)
  }
  return end
}

/** In JSON a string is a key exactly when a colon follows it. */
function isKey(text: string, end: number): boolean {
  let next = end + 1
  while (text.charCodeAt(next) <= SPACE) next += 1
  return text.charCodeAt(next) === COLON
}

/** Two spellings of one key are one key: escapes are resolved. */
function nameOf(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end)
  return name.includes('\\') ? String(JSON.parse(`"${name}"`)) : name
}

const tooDeep = () => invalid(`The body is nested deeper than ${limits.jsonDepth} levels.`)
const tooManyKeys = () => invalid(`The body has more than ${limits.jsonKeys} keys.`)

const invalid = (message: string) => new Failure('RequestValidationError', message)
