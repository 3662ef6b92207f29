import { ExpressionError } from '../expression-error.ts'

/** One piece of an expression; `value` is the number, the decoded text or the word itself. */
export interface Token {
  readonly kind: 'number' | 'string' | 'word' | 'symbol' | 'end'
  readonly value: string | number
  readonly start: number
  readonly end: number
}

const space = /[\s\u200b]*/y
const number = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y
const word = /[\p{L}_$][\p{L}\p{M}\p{N}_$]*/uy
const symbols = ['!==', '===', '{{', '{%', '%}', '==', '!=', '>=', '<=', '&&', '||', ...'=<>!+-*/%()[]{},:.?']
const escapes = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
])

/** The first position that is not white space. */
export function skipSpace(source: string, at: number): number {
  space.lastIndex = at
  return at + (space.exec(source)?.[0].length ?? 0)
}

/** Reads the token that starts at or after a position. */
export function readToken(source: string, at: number): Token {
  const start = skipSpace(source, at)
  const first = source[start]
  if (first === undefined) return { kind: 'end', value: '', start, end: start }
  if (first === '"' || first === "'") return readString(source, start, first)
  const digits = match(number, source, start)
  if (digits !== undefined)
    return { kind: 'number', value: Number(digits), start, end: start + digits.length }
  const name = match(word, source, start)
  if (name !== undefined) return { kind: 'word', value: name, start, end: start + name.length }
  // A character without a meaning is a symbol that nothing accepts: the parser says what it expected there.
  const stray = String.fromCodePoint(source.codePointAt(start) ?? 0)
  const symbol = symbols.find((text) => source.startsWith(text, start)) ?? stray
  return { kind: 'symbol', value: symbol, start, end: start + symbol.length }
}

function match(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(source)?.[0]
}

/** Reads a quoted string; unknown escapes keep their backslash, because users write regular expressions in them. */
export function readString(source: string, start: number, quote: string): Token {
  let value = ''
  let at = start + 1
  while (at < source.length) {
    const character = source[at] ?? ''
    if (character === quote) return { kind: 'string', value, start, end: at + 1 }
    if (character !== '\\') {
      value += character
      at += 1
      continue
    }
    const next = source[at + 1] ?? ''
    value += escapes.get(next) ?? `\\${next}`
    at += 2
  }
  throw new ExpressionError(`A text opened with ${quote} is not closed; add the closing ${quote}.`, start)
}
