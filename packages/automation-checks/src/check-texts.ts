import {
  checkExpression,
  checkTemplate,
  compilePath,
  ExpressionError,
  type SyntaxProblem,
} from '@platform/expressions'
import { isRecord } from '@platform/kernel'
import type { Path, Problem } from '@platform/source-texts'

/** Every `{{ }}` and `{% %}` in the texts and keys of a value, at any depth. */
export function checkTexts(value: unknown, path: Path): Problem[] {
  if (typeof value === 'string') return place(checkTemplate(value), path)
  if (Array.isArray(value)) return value.flatMap((item, index) => checkTexts(item, [...path, index]))
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([key, item]) => [
    ...place(checkTemplate(key), [...path, key]).map((problem) => ({ ...problem, onKey: true })),
    ...checkTexts(item, [...path, key]),
  ])
}

/** A text that is an expression as a whole, for example `until`. */
export const checkBareExpression = (source: string, path: Path): Problem[] =>
  place(checkExpression(source), path)

/** The key of a condition is an expression. */
export const checkConditionKey = (source: string, path: Path): Problem[] =>
  checkBareExpression(source, path).map((problem) => ({ ...problem, onKey: true }))

/** The name of a variable that is written. */
export function checkVariableName(name: string, path: Path): Problem[] {
  try {
    compilePath(name)
    return []
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return [
      { path, message: `is not the name of a variable: ${lower(error.message)}`, textOffset: error.offset },
    ]
  }
}

const place = (problems: readonly SyntaxProblem[], path: Path): Problem[] =>
  problems.map(({ message, offset }) => ({
    path,
    message: `has a mistake: ${lower(message)}`,
    textOffset: offset,
  }))

const lower = (sentence: string): string =>
  sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '')
