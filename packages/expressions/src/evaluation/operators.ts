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
  '<': (left, right, run) => compare(left, right, run, (order) => order < 0),
  '<=': (left, right, run) => compare(left, right, run, (order) => order <= 0),
  '>': (left, right, run) => compare(left, right, run, (order) => order > 0),
  '>=': (left, right, run) => compare(left, right, run, (order) => order >= 0),
  in: isMember,
  matches,
  '+': add,
  '-': (left, right, run) => toNumber(left, run) - toNumber(right, run),
  '*': (left, right, run) => toNumber(left, run) * toNumber(right, run),
  '/': (left, right, run) => toNumber(left, run) / toNumber(right, run),
  '%': (left, right, run) => toNumber(left, run) % toNumber(right, run),
}

/** `and` and `or` give back an operand, not a boolean, and leave the second one alone when the first decides. */
export const logicOperators: Readonly<Record<'and' | 'or', (left: Lazy, right: Lazy) => Lazy>> = {
  and: (left, right) => (run) => left(run) && right(run),
  or: (left, right) => (run) => left(run) || right(run),
}

/** What each operator does with its one operand. */
export const unaryOperators: Readonly<Record<UnaryOperator, (operand: unknown, run: Run) => unknown>> = {
  '!': (operand) => !operand,
  '-': (operand, run) => -toNumber(operand, run),
  '+': toNumber,
  exists: (operand) => operand !== undefined && operand !== null,
}

// Text and structures join as text; a missing value joins as nothing, as it does inside a template.
function add(left: unknown, right: unknown, run: Run): unknown {
  if (typeof left === 'number' && typeof right === 'number') return left + right
  if (!isJoined(left) && !isJoined(right)) return toNumber(left, run) + toNumber(right, run)
  const [first, second] = [toText(left, run), toText(right, run)]
  grow(run, first.length + second.length)
  return first + second
}

function isJoined(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null)
}
