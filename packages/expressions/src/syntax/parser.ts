import { ExpressionError } from '../expression-error.ts'
import { readToken, type Token } from './tokens.ts'

const maximumNesting = 100
const maximumOperators = 2_000

/** Something a static check reports although the expression could be parsed. */
export interface Finding {
  readonly kind: 'unknownFunction' | 'missingBrackets'
  readonly name: string
  readonly start: number
  readonly end: number
  /** Whether it stands between `{%` and `%}`, where bare words are mistakes; in condition keys they are texts. */
  readonly isMarked: boolean
}

/**
 * A position in a source with one token of lookahead, read only when asked for because some constructs are not made
 * of tokens.
 */
export class Parser {
  readonly source: string
  readonly findings: Finding[] = []
  at: number
  /** How many `{%` are open around the position. */
  marks: number
  #ahead: Token | undefined
  #nesting = 0
  #operators = 0

  constructor(source: string, at = 0, marks = 0) {
    this.source = source
    this.at = at
    this.marks = marks
  }

  peek(): Token {
    this.#ahead ??= readToken(this.source, this.at)
    return this.#ahead
  }

  next(): Token {
    const token = this.peek()
    this.moveTo(token.end)
    return token
  }

  moveTo(at: number): void {
    this.at = at
    this.#ahead = undefined
  }

  isAt(symbol: string): boolean {
    const token = this.peek()
    return token.kind === 'symbol' && token.value === symbol
  }

  accept(symbol: string): boolean {
    const found = this.isAt(symbol)
    if (found) this.next()
    return found
  }

  expect(symbol: string): void {
    if (!this.accept(symbol)) throw this.unexpected(`"${symbol}" is missing`)
  }

  report(kind: Finding['kind'], name: string, start: number, end: number): void {
    this.findings.push({ kind, name, start, end, isMarked: this.marks > 0 })
  }

  /** The error for a token that cannot stand where it stands. */
  unexpected(expected: string): ExpressionError {
    const token = this.peek()
    const found =
      token.kind === 'end' ? 'at the end' : `before "${this.source.slice(token.start, token.end)}"`
    return new ExpressionError(`The expression is not complete: ${expected} ${found}.`, token.start)
  }

  /** Guards the recursion of the parser itself. */
  nested<Result>(parse: () => Result): Result {
    if (this.#nesting >= maximumNesting) {
      throw new ExpressionError('The expression is nested too deeply.', this.at)
    }
    this.#nesting += 1
    try {
      return parse()
    } finally {
      this.#nesting -= 1
    }
  }

  /** Tries one reading and forgets it when it fails; undefined then. */
  attempt<Result>(parse: () => Result | undefined): Result | undefined {
    const { at, marks, findings } = this
    const count = findings.length
    try {
      const result = parse()
      if (result !== undefined) return result
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
    }
    this.moveTo(at)
    this.marks = marks
    findings.length = count
    return undefined
  }

  /** Bounds the height of the tree, which evaluation walks recursively. */
  countOperator(): void {
    this.#operators += 1
    if (this.#operators > maximumOperators) {
      throw new ExpressionError('The expression has too many operators; split it.', this.at)
    }
  }
}

/** How the parts of the grammar reach the whole without importing it. */
export type ParseExpression = (parser: Parser) => import('./nodes.ts').Node
