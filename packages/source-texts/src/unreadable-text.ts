import type { ProblemDetail } from './problem.ts'

/** A text that could not be read: what is wrong, and where. */
export class UnreadableText extends Error {
  readonly details: ProblemDetail[]

  constructor(details: ProblemDetail[]) {
    super('The text could not be read.')
    this.details = details
  }
}

/** A place in a text, both from 1. */
export interface LinePlace {
  readonly line: number
  readonly column: number
}

/** The lines of a text: which line and column, both from 1, an offset is at. */
export class TextLines {
  readonly #starts: number[] = [0]

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1)
  }

  placeOf(offset: number): LinePlace {
    let [low, high] = [0, this.#starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (this.#starts[low] ?? 0) + 1 }
  }
}
