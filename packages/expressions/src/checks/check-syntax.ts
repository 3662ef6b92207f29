import { asExpressionError, type ExpressionError } from '../expression-error.ts'
import { parseExpression } from '../syntax/parse-expression.ts'
import {
  findOpening,
  parseDynamicPart,
  parseWhole,
  unknownFunctionMessage,
} from '../syntax/parse-template.ts'
import { type Finding, Parser } from '../syntax/parser.ts'

/** What kind of mistake a static check found. */
export type SyntaxProblemType =
  | 'unclosedVariable'
  | 'unclosedExpression'
  | 'operatorInVariable'
  | 'unknownFunction'
  | 'missingBrackets'
  | 'syntax'

/** A mistake in an expression or template, with its place in the text that was checked. */
export interface SyntaxProblem {
  readonly type: SyntaxProblemType
  /** One sentence: the thing and the remedy. */
  readonly message: string
  readonly offset: number
  readonly length: number
  /** The function or word the problem is about, where there is one. */
  readonly name?: string
}

// One text is not reported on for ever.
const maximumProblems = 100

/** Checks a bare expression, as in the key of a condition, without evaluating it; bare words in it are texts. */
export function checkExpression(source: string): SyntaxProblem[] {
  try {
    return parseWhole(source).findings.flatMap(toProblem)
  } catch (error) {
    return problemsOf(new Parser(source), asExpressionError(error))
  }
}

/** Checks every `{{ }}` and `{% %}` of a text without evaluating them. */
export function checkTemplate(text: string): SyntaxProblem[] {
  const problems: SyntaxProblem[] = []
  let at = findOpening(text, 0)
  while (at < text.length && problems.length < maximumProblems) {
    const checked = checkPart(text, at)
    problems.push(...checked.problems)
    at = findOpening(text, checked.end)
  }
  return problems
}

function checkPart(text: string, start: number): { problems: SyntaxProblem[]; end: number } {
  try {
    const part = parseDynamicPart(text, start)
    return { problems: part.findings.flatMap(toProblem), end: part.end }
  } catch (error) {
    const isVariable = text[start + 1] === '{'
    const closing = text.indexOf(isVariable ? '}}' : '%}', start + 2)
    const end = closing === -1 ? text.length : closing + 2
    const failure = asExpressionError(error)
    if (closing === -1) return { problems: [unclosed(start, isVariable)], end }
    if (isVariable) return { problems: [broken('operatorInVariable', failure)], end }
    return { problems: problemsOf(new Parser(text.slice(0, closing), start + 2, 1), failure), end }
  }
}

// A broken expression is read on after its mistake, so that every bare word and unknown function is named at once.
function problemsOf(parser: Parser, failure: ExpressionError): SyntaxProblem[] {
  const { marks } = parser
  for (let mistakes = 0; parser.at < parser.source.length && mistakes < maximumProblems; mistakes += 1) {
    readOn(parser)
    parser.marks = marks
  }
  const found = parser.findings.flatMap(toProblem)
  return found.length > 0 ? found : [broken('syntax', failure)]
}

function readOn(parser: Parser): void {
  const before = parser.at
  try {
    parseExpression(parser)
    parser.next()
  } catch (error) {
    parser.moveTo(Math.max(before, parser.at, asExpressionError(error).offset) + 1)
  }
}

function toProblem({ kind, name, start, end, isMarked }: Finding): SyntaxProblem[] {
  const place = { offset: start, length: end - start, name }
  if (kind === 'unknownFunction') return [{ type: kind, message: unknownFunctionMessage(name), ...place }]
  const word = name.slice(0, 60)
  const message = `The word "${word}" stands alone; write {{${word}}} for a variable or quote it as text.`
  return isMarked ? [{ type: kind, message, ...place }] : []
}

function unclosed(start: number, isVariable: boolean): SyntaxProblem {
  const [type, opening, closing] = isVariable
    ? (['unclosedVariable', '{{', '}}'] as const)
    : (['unclosedExpression', '{%', '%}'] as const)
  return { type, message: `A "${opening}" is never closed; add "${closing}".`, offset: start, length: 2 }
}

function broken(type: SyntaxProblemType, { message, offset }: ExpressionError): SyntaxProblem {
  return { type, message, offset, length: 1 }
}
