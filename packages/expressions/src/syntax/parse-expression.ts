import type { Node } from './nodes.ts'
import { type InfixOperator, notPrecedence, peekOperator, takeOperator } from './operators.ts'
import { parseMembers, parsePrimary } from './parse-operand.ts'
import type { Parser } from './parser.ts'

/** Reads one expression and stops before whatever cannot continue it. */
export function parseExpression(parser: Parser): Node {
  return parser.nested(() => {
    const test = parseBinary(parser, 1)
    if (!parser.accept('?')) return test
    parser.countOperator()
    const yes = parseExpression(parser)
    parser.expect(':')
    return { kind: 'conditional', test, yes, no: parseExpression(parser) }
  })
}

function parseBinary(parser: Parser, loosest: number): Node {
  let left = parsePrefix(parser, loosest)
  for (;;) {
    const ahead = peekOperator(parser)
    if (ahead === undefined || ahead.precedence < loosest) return left
    const operator = takeOperator(parser, ahead)
    parser.countOperator()
    left = combine(parser, left, operator)
  }
}

function combine(parser: Parser, left: Node, operator: InfixOperator): Node {
  // `!x in list` asks whether x is not in the list: the negation of x alone would be neither.
  if (isTest(operator) && left.kind === 'unary' && left.operator === '!') {
    return negate(combine(parser, left.operand, operator))
  }
  const node = apply(parser, left, operator)
  return operator.isNegated ? negate(node) : node
}

function apply(parser: Parser, left: Node, operator: InfixOperator): Node {
  if (operator.name === 'exists') return { kind: 'unary', operator: 'exists', operand: left }
  const right = parseBinary(parser, operator.precedence + 1)
  return { kind: 'binary', operator: operator.name, left, right }
}

function isTest(operator: InfixOperator): boolean {
  return operator.name === 'in' || operator.name === 'matches' || operator.name === 'exists'
}

function negate(operand: Node): Node {
  return { kind: 'unary', operator: '!', operand: { kind: 'group', inner: operand } }
}

function parsePrefix(parser: Parser, loosest: number): Node {
  const token = parser.peek()
  if (token.kind !== 'word' || String(token.value).toLowerCase() !== 'not') return parseUnary(parser)
  parser.next()
  parser.countOperator()
  const operand = parser.nested(() => parseBinary(parser, Math.max(loosest, notPrecedence)))
  return negate(operand)
}

function parseUnary(parser: Parser): Node {
  for (const operator of ['!', '-', '+'] as const) {
    if (!parser.accept(operator)) continue
    parser.countOperator()
    const operand = parser.nested(() => parseUnaryOperand(parser))
    return { kind: 'unary', operator, operand }
  }
  return parseMembers(parser, parsePrimary(parser, parseExpression), parseExpression)
}

// `!not x` and `- not x` are odd but clear.
function parseUnaryOperand(parser: Parser): Node {
  return parsePrefix(parser, notPrecedence)
}
