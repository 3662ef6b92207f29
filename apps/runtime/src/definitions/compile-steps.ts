import { CallArguments, instructionSchemas, readStep } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { EventLimits } from '@platform/outbox'
import type { Execute, Frame } from '../automations/model.ts'
import { compileCall } from '../instructions/call.ts'
import { vocabulary } from '../instructions/index.ts'
import { type Instruction, invalidInstruction, type StepContext } from '../instructions/instruction.ts'
import { runStep, type Step, sequence } from '../instructions/sequence.ts'
import type { TextCompiler } from '../instructions/text-compiler.ts'

type WrittenStep = Readonly<Record<string, unknown>>

/**
 * Compiles lists of steps. What can't be compiled is told to `onProblem` and fails when it is run, at its own place.
 */
export interface StepCompiler {
  compile(
    list: readonly WrittenStep[],
    path: string,
    texts: TextCompiler,
    onProblem: (problem: string) => void,
  ): Execute
}

/** Steps nested deeper than this are refused: the compiler itself must not run out of stack. */
const MAX_DEPTH = 60

export function stepCompiler(limits: EventLimits): StepCompiler {
  const instructions = new Map<string, Instruction<never>>(vocabulary(limits).map((one) => [one.name, one]))
  return {
    compile: (list, path, texts, onProblem) =>
      sequence(new Compilation(instructions, limits, texts, onProblem).list(list, path, 0)),
  }
}

/** One automation being compiled. */
class Compilation {
  readonly #instructions: ReadonlyMap<string, Instruction<never>>
  readonly #limits: EventLimits
  readonly #texts: TextCompiler
  readonly #onProblem: (problem: string) => void

  constructor(
    instructions: ReadonlyMap<string, Instruction<never>>,
    limits: EventLimits,
    texts: TextCompiler,
    onProblem: (problem: string) => void,
  ) {
    this.#instructions = instructions
    this.#limits = limits
    this.#texts = texts
    this.#onProblem = onProblem
  }

  list(steps: readonly WrittenStep[], at: string, depth: number): Step[] {
    return steps.map((step, index) => this.#step(step, `${at}[${index}]`, depth))
  }

  #step(written: WrittenStep, at: string, depth: number): Step {
    const step = depth > MAX_DEPTH ? undefined : readStep(written)
    const [name] = step === undefined ? Object.keys(written) : [step.name]
    const path = name === undefined ? at : `${at}.${name}`
    try {
      if (step === undefined) throw invalidInstruction('A step must be one instruction or one call.')
      return { path, run: this.#instruction(step.name, step.arguments, this.#placeAt(path, depth)) }
    } catch (error) {
      this.#onProblem(`${path}: ${error instanceof Error ? error.message : 'is not valid'}`)
      return { path, run: failing(error) }
    }
  }

  #placeAt(path: string, depth: number): StepContext {
    return {
      path,
      texts: this.#texts,
      steps: (steps, key) => sequence(this.list(steps, path + key, depth + 1)),
      branches: (steps) =>
        this.list(steps, path, depth + 1).map((step) => (frame: Frame) => runStep(step, frame)),
    }
  }

  #instruction(name: string, args: unknown, place: StepContext): Execute {
    const instruction = this.#instructions.get(name)
    if (instruction === undefined) {
      return compileCall(name, parseArguments(CallArguments, name, args), place, this.#limits)
    }
    const schema: Parser<unknown> = instructionSchemas[instruction.name]
    return instruction.compile(parseArguments(schema, name, args) as never, place)
  }
}

interface Parser<T> {
  safeParse(
    value: unknown,
  ): { success: true; data: T } | { success: false; error: { issues: readonly Issue[] } }
}
interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

function parseArguments<T>(schema: Parser<T>, name: string, args: unknown): T {
  const result = schema.safeParse(args)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const field = [name, ...(issue?.path ?? [])].map(String).join('.')
  throw invalidInstruction(`${field}: ${issue?.message.replace(/\.$/, '') ?? 'is not valid'}.`)
}

/** Expressions that can't be read keep the name of their own failure. */
const failing =
  (error: unknown): Execute =>
  () => {
    if (error instanceof Error) throw error
    throw new Failure('InvalidInstructionError', 'The step could not be read.')
  }
