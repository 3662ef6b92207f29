import { ExpressionError } from '../expression-error.ts'
import { isFunctionName, NO_SEPARATOR } from '../functions/names.ts'
import { literal, type Node } from './nodes.ts'
import { parseRegex } from './parse-regex.ts'
import { parseBracket, parseMarked, parseQuoted, parseVariable } from './parse-variable.ts'
import type { ParseExpression, Parser } from './parser.ts'
import type { Token } from './tokens.ts'

const constants = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['undefined', undefined],
])

/** Reads a literal, a variable, a call, a list, an object or something in parentheses. */
export function parsePrimary(parser: Parser, expression: ParseExpression): Node {
  const token = parser.next()
  if (token.kind === 'number') return literal(token.value)
  if (token.kind === 'string') return parseQuoted(String(token.value), expression)
  if (token.kind === 'word') return parseWord(parser, token, expression)
  const parse = openers.get(String(token.value))
  if (parse !== undefined) return parse(parser, expression)
  parser.moveTo(token.start)
  throw parser.unexpected('a value is missing')
}

const openers = new Map<string, (parser: Parser, expression: ParseExpression) => Node>([
  ['{{', parseVariable],
  ['[', (parser, expression) => ({ kind: 'array', items: parseItems(parser, ']', expression) })],
  ['{', parseObject],
  [
    '(',
    (parser, expression) => {
      const inner = expression(parser)
      parser.expect(')')
      return { kind: 'group', inner }
    },
  ],
  ['{%', (parser, expression) => ({ kind: 'group', inner: parseMarked(parser, expression) })],
])

function parseWord(parser: Parser, token: Token, expression: ParseExpression): Node {
  const word = String(token.value)
  const lower = word.toLowerCase()
  if (constants.has(lower)) return literal(constants.get(lower))
  if (parser.isAt('(')) return parseCall(parser, token, expression)
  return parseBareWord(parser, token)
}

function parseCall(parser: Parser, token: Token, expression: ParseExpression): Node {
  parser.next()
  parser.countOperator()
  const name = String(token.value)
  if (!isFunctionName(name)) {
    parser.report('unknownFunction', name, token.start, token.end)
  }
  if (name.toLowerCase() === 'regex') return parseRegex(parser, expression)
  const parameters = parseItems(parser, ')', expression)
  if (name.toLowerCase() === 'split' && parameters.length < 2)
    throw new ExpressionError(NO_SEPARATOR, token.start)
  return { kind: 'call', name: name.toLowerCase(), parameters, offset: token.start }
}

function parseBareWord(parser: Parser, token: Token): Node {
  const keys = [withHyphens(parser, token)]
  while (parser.isAt('.')) {
    parser.next()
    parser.countOperator()
    const key = parser.next()
    if (key.kind !== 'word' && key.kind !== 'number') throw parser.unexpected('a name must follow "."')
    keys.push(withHyphens(parser, key))
  }
  parser.report('missingBrackets', keys.join('.'), token.start, parser.at)
  return { kind: 'word', keys }
}

// A bare word is a text more often than a variable, so `in-progress` is one word and no subtraction.
function withHyphens(parser: Parser, token: Token): string {
  const rest = /(?:-[\p{L}\p{N}_$][\p{L}\p{M}\p{N}_$]*(?:\.\d+)*)*/uy
  rest.lastIndex = token.end
  const hyphenated = rest.exec(parser.source)?.[0] ?? ''
  parser.moveTo(token.end + hyphenated.length)
  return `${parser.source.slice(token.start, token.end)}${hyphenated}`
}

function parseItems(parser: Parser, closer: string, expression: ParseExpression): Node[] {
  const items: Node[] = []
  if (parser.accept(closer)) return items
  do items.push(expression(parser))
  while (parser.accept(',') && !parser.isAt(closer))
  parser.expect(closer)
  return items
}

function parseObject(parser: Parser, expression: ParseExpression): Node {
  const entries: (readonly [Node, Node])[] = []
  if (parser.accept('}')) return { kind: 'object', entries }
  do {
    const key = parseObjectKey(parser, expression)
    parser.expect(':')
    entries.push([key, expression(parser)])
  } while (parser.accept(',') && !parser.isAt('}'))
  parser.expect('}')
  return { kind: 'object', entries }
}

function parseObjectKey(parser: Parser, expression: ParseExpression): Node {
  const token = parser.next()
  if (token.kind === 'string') return parseQuoted(String(token.value), expression)
  if (token.kind === 'word' || token.kind === 'number') return literal(String(token.value))
  if (token.value === '{{') return parseVariable(parser, expression)
  parser.moveTo(token.start)
  throw parser.unexpected('a key is missing')
}

/** Reads the `.name` and `[key]` that may follow an operand. */
export function parseMembers(parser: Parser, target: Node, expression: ParseExpression): Node {
  let node = target
  for (;;) {
    if (parser.accept('[')) node = { kind: 'member', target: node, key: parseBracket(parser, expression) }
    else if (parser.accept('.')) node = { kind: 'member', target: node, key: parseMemberName(parser) }
    else return node
    parser.countOperator()
  }
}

function parseMemberName(parser: Parser): Node {
  const token = parser.next()
  if (token.kind === 'word' || token.kind === 'number') return literal(String(token.value))
  parser.moveTo(token.start)
  throw parser.unexpected('a name must follow "."')
}
