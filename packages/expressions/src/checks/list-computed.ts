import { guarded } from '../evaluation/compiled.ts'
import type { Node } from '../syntax/nodes.ts'
import { isTemplate, parseTemplate, parseWhole } from '../syntax/parse-template.ts'
import { innerNodes, type NamedVariable, variableOf } from './list-reads.ts'

/** A variable that something is computed of, or that is compared, and by what: an operator or a function. */
export interface ComputedVariable extends NamedVariable {
  readonly by: string
}

/** What a bare expression computes with; what it only passes on, or asks for, is left out. Throws ExpressionError. */
export const computedInExpression = (source: string): ComputedVariable[] =>
  guarded(() => computedIn(parseWhole(source).node, undefined))

/** The same for the templates in a text. Throws ExpressionError. */
export const computedInTemplate = (text: string): ComputedVariable[] =>
  guarded(() =>
    isTemplate(text) ? parseTemplate(text).flatMap(({ node }) => computedIn(node, undefined)) : [],
  )

/** They put what they get into what they give, as it is. */
const passing = new Set(['join', 'json', 'deepmerge', 'replace', 'urlsearchparams'])

const joining = new Set(['and', 'or', '+'])
const equalities = new Set(['==', '!=', '===', '!=='])

function computedIn(node: Node, by: string | undefined): ComputedVariable[] {
  const variable = variableOf(node)
  if (variable !== undefined) return by === undefined ? [] : [{ ...variable, by }]
  const inside = userOf(node, by)
  return innerNodes(node).flatMap((inner) => computedIn(inner, inside))
}

/** What uses the operands of a node: the node itself, or whatever it passes them on to. */
function userOf(node: Node, by: string | undefined): string | undefined {
  if (node.kind === 'call') return passing.has(node.name.toLowerCase()) ? by : `${node.name}()`
  if (node.kind === 'regex') return 'regex()'
  if (node.kind === 'binary') return userOfOperands(node, by)
  if (node.kind === 'unary')
    return node.operator === '!' || node.operator === 'exists' ? undefined : node.operator
  return by
}

function userOfOperands(node: Extract<Node, { kind: 'binary' }>, by: string | undefined): string | undefined {
  const { operator, left, right } = node
  if (joining.has(operator)) return by
  return equalities.has(operator) && (isNothing(left) || isNothing(right)) ? undefined : operator
}

/** Whoever compares with it asks whether there is a value. */
const isNothing = (node: Node): boolean =>
  (node.kind === 'literal' && (node.value === null || node.value === undefined || node.value === '')) ||
  (node.kind === 'word' && ['null', 'undefined'].includes(node.keys.join('.')))
