import { isTemplate } from './instructions/templated.ts'

/** How much there is in a definition. */
export interface DefinitionSize {
  /** Texts, numbers, lists and objects. */
  readonly values: number
  /** Words and marks of its expressions. */
  readonly words: number
}

/**
 * Counts what a definition is made of: what compiling it costs, and what it takes in memory then. A key may be a
 * condition; other texts are expressions where they hold a template, and `until` always.
 */
export function definitionSize(definition: unknown): DefinitionSize {
  const left: Entry[] = [['', definition]]
  let [values, words] = [0, 0]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [key, value] = next
    values += 1
    words += wordsOf(key) + (isExpression(key, value) ? wordsOf(value) : 0)
    for (const entry of entriesOf(value)) left.push(entry)
  }
  return { values, words }
}

type Entry = [key: string, value: unknown]

const noKey = ''

function entriesOf(value: unknown): Entry[] {
  if (Array.isArray(value)) return value.map((item: unknown) => [noKey, item])
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

const isExpression = (key: string, value: unknown): value is string =>
  typeof value === 'string' && (key === 'until' || isTemplate(value))

const SPACE = 32

function wordsOf(text: string): number {
  let words = 0
  let inWord = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    const isWord = isWordCode(code)
    if (code > SPACE && !(isWord && inWord)) words += 1
    inWord = isWord
  }
  return words
}

const ranges = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
  [128, 65_535],
] as const

/** Digits, letters, `_`, and everything beyond ASCII. */
const isWordCode = (code: number): boolean => ranges.some(([from, to]) => code >= from && code <= to)
