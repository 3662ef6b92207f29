import { ExpressionError } from '../expression-error.ts'
import { literal, type Node } from './nodes.ts'
import { parseExpression } from './parse-expression.ts'
import { parseMarked, parseVariable } from './parse-variable.ts'
import { type Finding, Parser } from './parser.ts'

/** One piece of a template text: literal text, `{{variable}}` or `{% expression %}`. */
export interface TemplatePart {
  readonly kind: 'text' | 'variable' | 'expression'
  readonly node: Node
  readonly start: number
  readonly end: number
  readonly findings: readonly Finding[]
}

/** Whether a text can hold anything but itself. */
export function isTemplate(text: string): boolean {
  return text.includes('{{') || text.includes('{%')
}

/** Reads a text into its parts; a whole text that is one part keeps that part's type when evaluated. */
export function parseTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let at = 0
  while (at < text.length) {
    const opening = findOpening(text, at)
    if (opening > at) parts.push(textPart(text, at, opening))
    if (opening === text.length) break
    const part = parseDynamicPart(text, opening)
    parts.push(part)
    at = part.end
  }
  return parts
}

/** The position of the next `{{` or `{%`, or the end of the text. */
export function findOpening(text: string, from: number): number {
  const opening = /\{[{%]/g
  opening.lastIndex = from
  const at = opening.exec(text)?.index ?? text.length
  return text.startsWith('{{{', at) ? innermostBraces(text, at) : at
}

const wholeVariable = /\{\{[^{}]*\}\}/y

// In {{{x}}}, as JSON around a variable is written, and in {{{{x}}}} the outer braces are text: what a variable holds
// is never read as the name of another.
function innermostBraces(text: string, at: number): number {
  let inner = at
  while (text.startsWith('{{{', inner)) inner += 1
  if (inner === at + 1) return inner
  wholeVariable.lastIndex = inner
  return wholeVariable.test(text) && text.startsWith('}'.repeat(inner - at), wholeVariable.lastIndex)
    ? inner
    : at
}

/** Reads the variable or expression that opens at a position. */
export function parseDynamicPart(text: string, start: number): TemplatePart {
  const parser = new Parser(text, start + 2)
  const isVariable = text[start + 1] === '{'
  const node = isVariable ? parseVariable(parser, parseExpression) : parseMarked(parser, parseExpression)
  return {
    kind: isVariable ? 'variable' : 'expression',
    node,
    start,
    end: parser.at,
    findings: parser.findings,
  }
}

/** Reads a bare expression, as in the key of a condition, to its end. */
export function parseWhole(source: string): { readonly node: Node; readonly findings: readonly Finding[] } {
  const parser = new Parser(source)
  const node = parseExpression(parser)
  if (parser.peek().kind !== 'end') throw parser.unexpected('an operator is missing')
  return { node, findings: parser.findings }
}

/** Refuses what evaluation could not run; bare words are only reported by the static check. */
export function requireKnownFunctions(findings: readonly Finding[]): void {
  const unknown = findings.find((finding) => finding.kind === 'unknownFunction')
  if (unknown !== undefined) throw new ExpressionError(unknownFunctionMessage(unknown.name), unknown.start)
}

/** The sentence for a call of something that does not exist. */
export function unknownFunctionMessage(name: string): string {
  const remedy = name.toLowerCase() === 'now' ? 'write date() for the current time' : 'check its spelling'
  return `The function "${name.slice(0, 60)}" does not exist; ${remedy}.`
}

function textPart(text: string, start: number, end: number): TemplatePart {
  return { kind: 'text', node: literal(text.slice(start, end)), start, end, findings: [] }
}
