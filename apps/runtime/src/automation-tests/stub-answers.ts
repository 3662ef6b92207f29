import type { StubAnswers } from '@platform/contracts'
import { Failure, isFailureName } from '@platform/kernel'

/** The test lacks something: it fails with this sentence, whatever its automations do about it. */
export type FailTest = (message: string) => never

interface Parts {
  readonly answers: Readonly<Record<string, StubAnswers>> | undefined
  /** What they are of, as a sentence begins. */
  readonly what: string
  /** The field of the test that has them. */
  readonly field: string
  readonly fail: FailTest
}

/** What stands in for automations or functions, by their names, and in which order. */
export class AnswersByName {
  readonly #answers: ReadonlyMap<string, StubAnswers>
  readonly #given = new Map<string, number>()
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#answers = new Map(Object.entries(parts.answers ?? {}))
    this.#parts = parts
  }

  has(name: string): boolean {
    return this.#answers.has(name)
  }

  /** The output of the next call. Throws the failure that the test wants, or that there is no answer left. */
  next(name: string): unknown {
    const answers = this.#answers.get(name)
    const index = this.#given.get(name) ?? 0
    this.#given.set(name, index + 1)
    const answer = Array.isArray(answers) ? answers[index] : answers
    if (answer === undefined) return this.#parts.fail(this.#noneLeft(name, index))
    if (!('error' in answer)) return structuredClone(answer.output)
    const { error, message } = typeof answer.error === 'string' ? { error: answer.error } : answer.error
    if (!isFailureName(error))
      return this.#parts.fail(
        `There is no failure "${error}" that \`${this.#parts.field}.${name}\` could give.`,
      )
    throw new Failure(error, message ?? `${this.#parts.what} "${name}" fails, as the test wants it.`)
  }

  #noneLeft(name: string, calls: number): string {
    const times = calls === 1 ? 'one answer' : `${calls} answers`
    const { what, field } = this.#parts
    return `${what} "${name}" was called more often than \`${field}\` of the test has answers: ${times}.`
  }
}
