import { findOpening, parseDynamicPart } from '../syntax/parse-template.ts'
import { readToken } from '../syntax/tokens.ts'

/** A `{{ }}` or `{% %}` of a text, as an editor highlights it. */
export interface TemplateToken {
  readonly type: 'variable' | 'expression'
  readonly innerContent: string
  readonly offset: number
  readonly length: number
}

// Where so much is broken there is nothing left to highlight.
const maximumMistakes = 100

/** Lists the outermost `{{ }}` and `{% %}` of a text; broken ones are left out. */
export function listTemplateTokens(text: string): TemplateToken[] {
  const tokens: TemplateToken[] = []
  let mistakes = 0
  for (let at = findOpening(text, 0); at < text.length && mistakes < maximumMistakes; ) {
    const end = endOf(text, at)
    if (end === undefined) mistakes += 1
    else tokens.push(tokenOf(text, at, end))
    at = findOpening(text, end ?? at + 2)
  }
  return tokens
}

function tokenOf(text: string, start: number, end: number): TemplateToken {
  const type = text[start + 1] === '{' ? 'variable' : 'expression'
  return { type, innerContent: text.slice(start + 2, end - 2), offset: start, length: end - start }
}

function endOf(text: string, at: number): number | undefined {
  try {
    return parseDynamicPart(text, at).end
  } catch {
    return undefined
  }
}

/** How many `{{` and `{%` of a text are never closed. */
export function countUnclosed(text: string): { unclosedVariables: number; unclosedExpressions: number } {
  const open = { '{{': 0, '{%': 0 }
  for (const [mark] of text.matchAll(/\{\{|\}\}|\{%|%\}/g)) {
    if (mark === '{{' || mark === '{%') open[mark] += 1
    else if (mark === '}}') open['{{'] = Math.max(0, open['{{'] - 1)
    else open['{%'] = Math.max(0, open['{%'] - 1)
  }
  return { unclosedVariables: open['{{'], unclosedExpressions: open['{%'] }
}

/** Names the functions an expression calls, in order, known or not. */
export function listFunctionCalls(source: string): string[] {
  const calls: string[] = []
  let word = ''
  for (let at = 0; at < source.length; ) {
    const token = tokenAt(source, at)
    if (token?.value === '(' && word !== '' && !keywords.has(word.toLowerCase())) calls.push(word)
    word = token?.kind === 'word' ? String(token.value) : ''
    if (token === undefined || token.kind === 'end') break
    at = token.end
  }
  return calls
}

const keywords = new Set(['and', 'or', 'not', 'in', 'matches', 'equals', 'exists'])

function tokenAt(source: string, at: number) {
  try {
    return readToken(source, at)
  } catch {
    return undefined
  }
}
