import type { ProblemDetail } from './problem.ts'

/** A text that could not be read: what is wrong, and where. */
export class UnreadableText extends Error {
  readonly details: ProblemDetail[]

  constructor(details: ProblemDetail[]) {
    super('The text could not be read.')
    this.details = details
  }
}
