import { ExpressionError } from '../expression-error.ts'
import { literal, type Node, textOf } from './nodes.ts'
import { type ParseExpression, Parser } from './parser.ts'
import { readString, skipSpace } from './tokens.ts'

/** What a name in a path may consist of: anything but the characters that operators and brackets need. */
export const pathName = /[^\s.[\]{}()"'`+*/%=<>!&|,;?\\]+/y
const bareKey = /[^[\]{}"'`]*/y

/** Reads `path}}`, the opening braces being behind: names, dots and brackets, no operators and no calls. */
export function parseVariable(parser: Parser, expression: ParseExpression): Node {
  return parser.nested(() => {
    let node: Node = { kind: 'variable', name: readName(parser) }
    for (;;) {
      const at = skipSpace(parser.source, parser.at)
      parser.moveTo(at)
      if (parser.source.startsWith('}}', at)) break
      parser.countOperator()
      node = { kind: 'member', target: node, key: parseKey(parser, expression) }
    }
    parser.moveTo(parser.at + 2)
    return node
  })
}

/** Reads `.name`, `.{{path}}` or `[key]`. */
function parseKey(parser: Parser, expression: ParseExpression): Node {
  const { source, at } = parser
  if (source[at] === '[') {
    parser.moveTo(at + 1)
    return parseBracket(parser, expression)
  }
  if (source[at] !== '.') throw misplaced(parser)
  const start = skipSpace(source, at + 1)
  parser.moveTo(start)
  if (!source.startsWith('{{', start)) return literal(readName(parser))
  parser.moveTo(start + 2)
  return parseVariable(parser, expression)
}

/** Reads a key and its closing bracket, the opening one being behind. */
export function parseBracket(parser: Parser, expression: ParseExpression): Node {
  const { source } = parser
  parser.moveTo(skipSpace(source, parser.at))
  const key = parseBracketKey(parser, expression)
  const end = skipSpace(source, parser.at)
  if (source[end] !== ']') throw new ExpressionError('A bracket "[" is not closed; add "]".', end)
  parser.moveTo(end + 1)
  return key
}

/** A quoted text is part of the template: variables in it are filled in; braces that are no variable stay text. */
export function parseQuoted(text: string, expression: ParseExpression): Node {
  if (!text.includes('{{')) return literal(text)
  try {
    return textOf(splitVariables(text, expression))
  } catch {
    return literal(text)
  }
}

function splitVariables(text: string, expression: ParseExpression): Node[] {
  const parts: Node[] = []
  let at = 0
  for (;;) {
    const start = text.indexOf('{{', at)
    if (start !== at && at < text.length)
      parts.push(literal(text.slice(at, start === -1 ? undefined : start)))
    if (start === -1) return parts
    const inner = new Parser(text, start + 2)
    parts.push(parseVariable(inner, expression))
    at = inner.at
  }
}

function parseBracketKey(parser: Parser, expression: ParseExpression): Node {
  const { source, at } = parser
  const first = source[at] ?? ''
  if (first === '"' || first === "'") {
    const token = readString(source, at, first)
    parser.moveTo(token.end)
    return parseQuoted(String(token.value), expression)
  }
  if (source.startsWith('{{', at)) {
    parser.moveTo(at + 2)
    return parseVariable(parser, expression)
  }
  if (source.startsWith('{%', at)) {
    parser.moveTo(at + 2)
    return parseMarked(parser, expression)
  }
  bareKey.lastIndex = at
  const key = bareKey.exec(source)?.[0] ?? ''
  if (key.trim() === '') throw new ExpressionError('A key is missing between "[" and "]".', at)
  parser.moveTo(at + key.length)
  return literal(/^\d{1,15}$/.test(key.trim()) ? Number(key) : key.trim())
}

/** Reads `expression %}`, the opening mark being behind. */
export function parseMarked(parser: Parser, expression: ParseExpression): Node {
  parser.marks += 1
  const node = expression(parser)
  if (!parser.accept('%}')) throw parser.unexpected('an operator or "%}" is missing')
  parser.marks -= 1
  return node
}

function readName(parser: Parser): string {
  const start = skipSpace(parser.source, parser.at)
  parser.moveTo(start)
  pathName.lastIndex = start
  const found = pathName.exec(parser.source)?.[0]
  if (found === undefined) throw misplaced(parser)
  parser.moveTo(start + found.length)
  return found
}

function misplaced(parser: Parser): ExpressionError {
  const found = parser.source[parser.at]
  if (found === undefined) return new ExpressionError('A variable is not closed; add "}}".', parser.at)
  const remedy = 'write the path only, and put operators and calls between {% and %}'
  return new ExpressionError(`"${found}" cannot stand inside {{ }}: ${remedy}.`, parser.at)
}
