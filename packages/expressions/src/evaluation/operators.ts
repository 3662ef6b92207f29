import { grow, type Run } from '../run.ts'
import type { BinaryOperator, UnaryOperator } from '../syntax/nodes.ts'
import { compare, equalLoosely, equalStrictly, toNumber } from '../values/comparison.ts'
import { isMember, matches } from '../values/membership.ts'
import { toText } from '../values/text.ts'

type Operation = (left: unknown, right: unknown, run: Run) => unknown
type Lazy = (run: Run) => unknown

/** What each operator does with its two evaluated operands. */
export const binaryOperators: Readonly<Record<Exclude<BinaryOperator, 'and' | 'or'>, Operation>> = {
  '==': equalLoosely,
  '!=': (left, right, run) => !equalLoosely(left, right, run),
  '===': equalStrictly,
  '!==': (left, right, run) => !equalStrictly(left, right, run),
  '<': (left, right) => compare(left, right, (order) => order < 0),
  '<=': (left, right) => compare(left, right, (order) => order <= 0),
  '>': (left, right) => compare(left, right, (order) => order > 0),
  '>=': (left, right) => compare(left, right, (order) => order >= 0),
  in: isMember,
  matches,
  '+': add,
  '-': (left, right) => toNumber(left) - toNumber(right),
  '*': (left, right) => toNumber(left) * toNumber(right),
  '/': (left, right) => toNumber(left) / toNumber(right),
  '%': (left, right) => toNumber(left) % toNumber(right),
}

/** `and` and `or` give back an operand, not a boolean, and leave the second one alone when the first decides. */
export const logicOperators: Readonly<Record<'and' | 'or', (left: Lazy, right: Lazy) => Lazy>> = {
  and: (left, right) => (run) => left(run) && right(run),
  or: (left, right) => (run) => left(run) || right(run),
}

/** What each operator does with its one operand. */
export const unaryOperators: Readonly<Record<UnaryOperator, (operand: unknown) => unknown>> = {
  '!': (operand) => !operand,
  '-': (operand) => -toNumber(operand),
  '+': toNumber,
  exists: (operand) => operand !== undefined && operand !== null,
}

// Text and structures join as text; a missing value joins as nothing, as it does inside a template.
function add(left: unknown, right: unknown, run: Run): unknown {
  if (typeof left === 'number' && typeof right === 'number') return left + right
  if (!isJoined(left) && !isJoined(right)) return toNumber(left) + toNumber(right)
  const text = toText(left, run) + toText(right, run)
  grow(run, text.length)
  return text
}

function isJoined(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null)
}
