import { ExpressionError } from '../expression-error.ts'
import { literal, type Node, textOf } from './nodes.ts'
import { parseExpression } from './parse-expression.ts'
import { findOpening, parseDynamicPart } from './parse-template.ts'
import { parseBracket, pathName } from './parse-variable.ts'
import { Parser } from './parser.ts'

/** A step of a path: known when it was written, or read from the scope. */
export type PathPart = { readonly key: string | number } | { readonly node: Node }

/** Reads a variable path as `set` and `delete` take it. */
export function parsePath(text: string): { readonly parts: readonly PathPart[]; readonly append: boolean } {
  const parser = new Parser(text.trim())
  const parts: PathPart[] = [parseName(parser)]
  while (parser.at < parser.source.length) {
    if (parser.source.endsWith('[]') && parser.at === parser.source.length - 2) return { parts, append: true }
    parts.push(parseStep(parser))
    parser.countOperator()
  }
  return { parts, append: false }
}

function parseStep(parser: Parser): PathPart {
  const { source, at } = parser
  parser.moveTo(at + 1)
  if (source[at] === '.') return parseName(parser)
  if (source[at] !== '[') throw misplaced(source, at)
  return partOf(parseBracket(parser, parseExpression))
}

// A name may be put together from text and templates: `total_{{month}}`.
function parseName(parser: Parser): PathPart {
  const nodes: Node[] = []
  for (;;) {
    const { source, at } = parser
    pathName.lastIndex = at
    const text = pathName.exec(source)?.[0]
    if (text !== undefined) nodes.push(literal(text))
    else if (findOpening(source, at) !== at || at >= source.length) break
    else nodes.push(moveBehind(parser, at))
    if (text !== undefined) parser.moveTo(at + text.length)
  }
  const [first] = nodes
  if (first === undefined) throw misplaced(parser.source, parser.at)
  return partOf(nodes.length === 1 ? first : textOf(nodes))
}

function moveBehind(parser: Parser, at: number): Node {
  const part = parseDynamicPart(parser.source, at)
  parser.moveTo(part.end)
  return part.node
}

function partOf(node: Node): PathPart {
  if (node.kind !== 'literal') return { node }
  const { value } = node
  if (typeof value !== 'string') return { key: Number(value) }
  return { key: value }
}

function misplaced(source: string, at: number): ExpressionError {
  const found = at < source.length ? `"${source[at]}" cannot stand here` : 'a name is missing at its end'
  return new ExpressionError(
    `The variable name "${source.slice(0, 60)}" is not valid: ${found}; write names, dots and [keys].`,
    at,
    'InvalidVariableNameError',
  )
}
