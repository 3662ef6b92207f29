import { ExpressionError } from '../expression-error.ts'
import { knownFlags } from '../values/pattern.ts'
import { literal, type Node, textOf } from './nodes.ts'
import { parseVariable } from './parse-variable.ts'
import type { ParseExpression, Parser } from './parser.ts'
import { skipSpace } from './tokens.ts'

/**
 * Reads what stands between the parentheses of regex( ). Users write it bare, `regex([a-z]+@{{domain}})`,
 * so it is a pattern with variables in it unless it starts like a quoted text, joins one to a variable, or has flags
 * behind a variable.
 */
export function parseRegex(parser: Parser, expression: ParseExpression): Node {
  const start = skipSpace(parser.source, parser.at)
  const quoted = /["']/y
  quoted.lastIndex = start
  if (quoted.test(parser.source) || joinsText(parser.source, start)) {
    const written = parser.attempt(() => parseWritten(parser, expression))
    if (written !== undefined) return checked(written, start)
  }
  return { kind: 'regex', pattern: parseBare(parser, start, expression) }
}

interface WrittenPattern {
  readonly pattern: Node
  readonly flags?: string
}

// What starts with a quote and is no expression is a pattern with quotes in it: `"id":\s*\d+`.
function parseWritten(parser: Parser, expression: ParseExpression): WrittenPattern | undefined {
  const pattern = expression(parser)
  if (parser.accept(')')) return { pattern }
  if (!parser.accept(',')) return undefined
  const flags = expression(parser)
  const isText = flags.kind === 'literal' && typeof flags.value === 'string' && /^[a-z]*$/.test(flags.value)
  return isText && parser.accept(')') ? { pattern, flags: String(flags.value) } : undefined
}

/** It could not be known before that it was meant as flags. */
function checked({ pattern, flags }: WrittenPattern, start: number): Node {
  if (flags === undefined) return { kind: 'regex', pattern }
  const unknown = [...flags].find((flag) => !knownFlags.includes(flag))
  if (unknown === undefined) return { kind: 'regex', pattern, flags }
  throw new ExpressionError(`regex() knows the flags "i", "m" and "s", not "${unknown}".`, start)
}

function joinsText(source: string, start: number): boolean {
  const join = /\{\{[^{}"']{1,200}\}\}\s*(?:\+\s*["']|,\s*(?:"[a-z]*"|'[a-z]*')\s*\))/y
  join.lastIndex = start
  return join.test(source)
}

function parseBare(parser: Parser, start: number, expression: ParseExpression): Node {
  const parts: Node[] = []
  const nesting: Nesting = { groups: 0, isClass: false }
  for (let at = start; ; ) {
    const end = findTextEnd(parser.source, at, nesting)
    if (end > at) parts.push(literal(parser.source.slice(at, end)))
    if (parser.source[end] === ')') {
      parser.moveTo(end + 1)
      return joined(parts)
    }
    parser.moveTo(end + 2)
    parts.push(parseVariable(parser, expression))
    at = parser.at
  }
}

interface Nesting {
  groups: number
  isClass: boolean
}

// The next variable, or the parenthesis that closes the call and not a group of the pattern.
function findTextEnd(source: string, from: number, nesting: Nesting): number {
  for (let at = from; at < source.length; at += source[at] === '\\' ? 2 : 1) {
    const isEnd = source[at] === ')' && nesting.groups === 0 && !nesting.isClass
    if (isEnd || source.startsWith('{{', at)) return at
    track(nesting, source[at])
  }
  throw new ExpressionError('A regular expression is not closed; add ")".', from)
}

function track(nesting: Nesting, character: string | undefined): void {
  nesting.isClass = character === '[' || (nesting.isClass && character !== ']')
  if (!nesting.isClass) nesting.groups += Number(character === '(') - Number(character === ')')
}

// A pattern that is one variable keeps the variable's value, so that a missing one matches nothing.
function joined(parts: readonly Node[]): Node {
  const [first, ...others] = parts
  if (first === undefined) return literal(undefined)
  if (others.length > 0) return textOf(parts)
  return first.kind === 'literal' && typeof first.value === 'string' ? literal(first.value.trimEnd()) : first
}
