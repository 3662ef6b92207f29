import type { BinaryOperator } from './nodes.ts'
import type { Parser } from './parser.ts'
import type { Token } from './tokens.ts'

/** An operator found between operands; `isNegated` for `not in` and the like, `isPostfix` for `exists`. */
export interface InfixOperator {
  readonly name: BinaryOperator | 'exists'
  readonly precedence: number
  readonly isNegated: boolean
}

/** The loosest operators bind at 1; `not` stands between `and` and the comparisons. */
export const notPrecedence = 3

const precedences = new Map<BinaryOperator | 'exists', number>([
  ['or', 1],
  ['and', 2],
  ['==', 4],
  ['!=', 4],
  ['===', 4],
  ['!==', 4],
  ['<', 5],
  ['<=', 5],
  ['>', 5],
  ['>=', 5],
  ['in', 5],
  ['matches', 5],
  ['exists', 5],
  ['+', 6],
  ['-', 6],
  ['*', 7],
  ['/', 7],
  ['%', 7],
])

const aliases = new Map<string, BinaryOperator>([
  ['||', 'or'],
  ['&&', 'and'],
  ['=', '=='],
  ['equals', '=='],
])

const negatable = new Set(['in', 'matches', 'exists', '=='])

/** Looks at the next token without taking it. */
export function peekOperator(parser: Parser): InfixOperator | undefined {
  return operatorOf(parser.peek())
}

/** Takes an operator that peekOperator announced, both words of a negated one. */
export function takeOperator(parser: Parser, operator: InfixOperator): InfixOperator {
  parser.next()
  if (!operator.isNegated) return operator
  const negated = operatorOf(parser.peek())
  if (negated === undefined || negated.isNegated || !negatable.has(negated.name)) {
    throw parser.unexpected('"in", "matches", "equals" or "exists" must follow "not"')
  }
  parser.next()
  return { ...negated, isNegated: true }
}

function operatorOf(token: Token): InfixOperator | undefined {
  if (token.kind !== 'symbol' && token.kind !== 'word') return undefined
  const text = String(token.value).toLowerCase()
  if (text === 'not') return { name: 'in', precedence: 5, isNegated: true }
  const name = aliases.get(text) ?? (text as BinaryOperator)
  const precedence = precedences.get(name)
  return precedence === undefined ? undefined : { name, precedence, isNegated: false }
}
