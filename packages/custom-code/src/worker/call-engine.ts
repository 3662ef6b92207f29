import type { CodeProblem, FunctionCode } from '../custom-code.ts'
import type { WorkerOrder, WorkerReason } from '../pool/messages.ts'

export interface CallFailure {
  readonly reason: WorkerReason
  readonly message: string
  readonly line?: number
  readonly column?: number
}

/** The result as JSON, or why there is none. */
export type CallOutcome = string | CallFailure

/** One language in a worker. It is asked one thing at a time. */
export interface CallEngine {
  call(order: Extract<WorkerOrder, { order: 'call' }>, parameters: string): Promise<CallOutcome>
  check(code: FunctionCode, libraries: readonly string[]): Promise<CodeProblem[]>
  /** Resolves when nothing of the last call is left. */
  rest(): Promise<void>
  /** Does ahead what the next call would wait for. */
  prepare(): void
}

/** The text of an author can't run. Lines and columns count from 1, in that text. */
export class InvalidCode extends Error {
  readonly reason: WorkerReason
  readonly problem: CodeProblem

  constructor(problem: CodeProblem, reason: WorkerReason = 'invalidCode') {
    super(problem.message)
    this.problem = problem
    this.reason = reason
  }

  /** The same with its place in another text. */
  at(originOf: (place: { line: number; column: number }) => { line: number; column: number }): InvalidCode {
    const { message, line, column } = this.problem
    if (line === undefined || column === undefined) return this
    return new InvalidCode({ message, ...originOf({ line, column }) }, this.reason)
  }
}

/** The line and column of a place in a text. */
export function placeIn(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at)
  const lastBreak = before.lastIndexOf('\n')
  return { line: before.split('\n').length, column: at - lastBreak }
}
