import type { FunctionLog } from './custom-code.ts'

/**
 * Why a call has no answer: the function threw, or its text can't run; it took too long, too much of the processor or
 * of memory; its answer is too large or no JSON; its process was ended from outside; nothing was free to run it.
 */
export type FunctionFailureReason =
  | 'threw'
  | 'invalidCode'
  | 'dependencyNotAllowed'
  | 'timedOut'
  | 'outOfMemory'
  | 'outputTooLarge'
  | 'invalidOutput'
  | 'parametersTooLarge'
  | 'killed'
  | 'busy'

export interface FunctionFailureDetails {
  /** Where in the text of the author, from 1. */
  readonly line?: number
  readonly column?: number
  /** What was written before it failed. */
  readonly logs?: readonly FunctionLog[]
  readonly durationMs?: number
}

/** The one error of a call. The message names the function and the remedy, and may be shown to its author. */
export class FunctionFailure extends Error {
  override readonly name = 'FunctionFailure'
  readonly reason: FunctionFailureReason
  readonly line: number | undefined
  readonly column: number | undefined
  readonly logs: readonly FunctionLog[]
  readonly durationMs: number

  constructor(reason: FunctionFailureReason, message: string, details: FunctionFailureDetails = {}) {
    super(message)
    this.reason = reason
    this.line = details.line
    this.column = details.column
    this.logs = details.logs ?? []
    this.durationMs = details.durationMs ?? 0
  }
}
