import type { InstructionName } from '@platform/contracts'
import { type CompiledPath, compilePath, compileTemplate } from '@platform/expressions'
import { Failure } from '@platform/kernel'
import type { Call, Execute } from '../automations/model.ts'

/** What an instruction needs to compile itself. */
export interface CompilePlace {
  /** Where it stands, for example `do[2].set`; failures name it. */
  readonly path: string
  /** Compiles steps inside the instruction; `key` is their place in it, for example `do`. */
  steps(list: readonly Readonly<Record<string, unknown>>[], key: string): Execute
  /** The same for steps that don't wait for one another. */
  branches(list: readonly Readonly<Record<string, unknown>>[]): Execute[]
}

/** A word of the language: its arguments become a closure once, which then runs any number of times. */
export interface Instruction<Arguments = unknown> {
  readonly name: InstructionName
  compile(args: Arguments, place: CompilePlace): Execute
}

/** Reads a value with its templates filled in. What was filled in is data: it is never read as a template. */
export type Read = (call: Call) => unknown

export function reader(value: unknown): Read {
  if (value === undefined) return () => undefined
  const template = compileTemplate(value)
  return (call) => template.evaluate(call.variables, call.chain.options)
}

/** Puts the result of an instruction into the variable named by its `output`. */
export function writer(output: string | undefined): (call: Call, value: unknown) => void {
  if (output === undefined || output === '') return () => undefined
  const path: CompiledPath = compilePath(output)
  return (call, value) => call.variables.assign(path.resolve(call.variables, call.chain.options), value)
}

export const invalidInstruction = (message: string): Failure =>
  new Failure('InvalidInstructionError', message)

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
