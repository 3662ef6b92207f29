import type { InstructionName, Retry } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { Execute } from '../automations/model.ts'
import type { Attempt } from './step-retry.ts'
import type { TextCompiler } from './text-compiler.ts'

/** One step and where it stands. */
export interface Step {
  readonly path: string
  readonly run: Execute
}

/** What an instruction needs to compile itself. */
export interface StepContext {
  /** Where it stands, for example `do[2].set`; failures name it. */
  readonly path: string
  /** Compiles the templates, expressions and paths it holds. */
  readonly texts: TextCompiler
  /** Compiles steps inside the instruction; `key` is their place in it, for example `do`. */
  steps(list: readonly Readonly<Record<string, unknown>>[], key: string): Execute
  /** Steps that don't wait for one another. They are in the list when the automation runs, not before. */
  branches(list: readonly Readonly<Record<string, unknown>>[]): readonly Step[]
}

/** A word of the language: its arguments become a closure once, which then runs any number of times. */
export interface Instruction<Arguments = unknown> {
  readonly name: InstructionName
  compile(args: Arguments, context: StepContext): Execute
  /** The same for a step with `retry`, where a failure of it may be an answer; else it is one when it throws. */
  compileAttempt?(args: Arguments, context: StepContext): Attempt
  /** What is tried again where `retry` does not say. */
  readonly retriedOn?: Retry['on']
}

/** False, also as a text: what comes from a query or a form is one. */
export const isFalse = (value: unknown): boolean => value === false || value === 'false'

export const invalidInstruction = (message: string): Failure =>
  new Failure('InvalidInstructionError', message)
