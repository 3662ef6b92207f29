import { ExpressionError } from '../expression-error.ts'
import { literal, type Node, textOf } from './nodes.ts'
import { parseVariable } from './parse-variable.ts'
import type { ParseExpression, Parser } from './parser.ts'
import { skipSpace } from './tokens.ts'

/**
 * Reads what stands between the parentheses of regex( ). Users write it bare, `regex([a-z]+@{{domain}})`,
 * so it is a pattern with variables in it unless it starts like a quoted text or joins one to a variable.
 */
export function parseRegex(parser: Parser, expression: ParseExpression): Node {
  const start = skipSpace(parser.source, parser.at)
  const quoted = /["']/y
  quoted.lastIndex = start
  if (quoted.test(parser.source) || joinsText(parser.source, start)) {
    const pattern = parser.attempt(() => parseWritten(parser, expression))
    if (pattern !== undefined) return { kind: 'regex', pattern }
  }
  return { kind: 'regex', pattern: parseBare(parser, start, expression) }
}

// What starts with a quote and is no expression is a pattern with quotes in it: `"id":\s*\d+`.
function parseWritten(parser: Parser, expression: ParseExpression): Node | undefined {
  const pattern = expression(parser)
  return parser.accept(')') ? pattern : undefined
}

function joinsText(source: string, start: number): boolean {
  const join = /\{\{[^{}"']{1,200}\}\}\s*\+\s*["']/y
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
